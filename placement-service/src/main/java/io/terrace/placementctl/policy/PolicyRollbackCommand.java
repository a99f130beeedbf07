package io.terrace.placementctl.policy;

import io.terrace.placementctl.command.SwitchCommand;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import picocli.CommandLine.Command;

/** {@code placementctl policy rollback}. */
@Command(
        name = "rollback",
        description = "What was in force before the last apply is in force again. Again goes one step further back.",
        mixinStandardHelpOptions = true)
final class PolicyRollbackCommand extends SwitchCommand {
    PolicyRollbackCommand() {
        super(VerbProto.ROLLBACK_POLICY, "Rolled back.");
    }
}
