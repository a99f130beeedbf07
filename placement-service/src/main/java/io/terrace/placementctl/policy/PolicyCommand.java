package io.terrace.placementctl.policy;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code placementctl policy}. */
@Command(
        name = "policy",
        description =
                "Placement policies: what there is, what is in force, what another one would do, and changing it.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PolicyListCommand.class,
            PolicyShowCommand.class,
            PolicyCheckCommand.class,
            PolicySimulateCommand.class,
            PolicyApplyCommand.class,
            PolicyHistoryCommand.class,
            PolicyRollbackCommand.class
        })
public final class PolicyCommand implements Runnable {

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to do with policies, e.g. policy show");
    }
}
