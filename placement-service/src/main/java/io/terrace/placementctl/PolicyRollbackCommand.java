package io.terrace.placementctl;

import io.terrace.protocol.proto.AdminProtos.VerbProto;
import picocli.CommandLine.Command;

/** {@code placementctl policy rollback}. */
@Command(
        name = "rollback",
        description = "What was in force before the last apply is in force again. Again goes one step further back.",
        mixinStandardHelpOptions = true)
final class PolicyRollbackCommand extends ChangeCommands.Switch {
    PolicyRollbackCommand() {
        super(VerbProto.ROLLBACK_POLICY, "Rolled back.");
    }
}
