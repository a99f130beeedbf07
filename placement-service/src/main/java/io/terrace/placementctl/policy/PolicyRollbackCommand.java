package io.terrace.placementctl.policy;

import io.terrace.placementctl.command.SwitchCommand;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import picocli.CommandLine.Command;

/** {@code placementctl policy rollback}. */
@Command(
        name = "rollback",
        description =
                "Restores the policy that was in force before the last apply. Run it again to go back one more step.",
        mixinStandardHelpOptions = true)
final class PolicyRollbackCommand extends SwitchCommand {
    PolicyRollbackCommand() {
        super(VerbProto.ROLLBACK_POLICY, "Rolled back.");
    }
}
