package io.terrace.placementctl;

import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import picocli.CommandLine.Command;

/** {@code placementctl policy rollback}. */
@Command(
        name = "rollback",
        description = "What was in force before the last apply is in force again. Again goes one step further back.",
        mixinStandardHelpOptions = true)
final class PolicyRollbackCommand extends ChangeCommands.Change {

    @Override
    ChangeRequestProto request() {
        return of(VerbProto.ROLLBACK_POLICY, null);
    }

    @Override
    String done(ChangeResponseProto response) {
        return "Rolled back.";
    }
}
