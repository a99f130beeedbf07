package io.terrace.placementctl.command;

import io.terrace.placementctl.client.ConnectionOptions;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that takes the options of {@link ConnectionOptions}, before its verb or after it. */
public abstract class ClusterCommand implements Callable<Integer> {

    /** The name under which the root command mixes {@link ConnectionOptions} in. */
    public static final String COMMON_OPTIONS = "cluster";

    @Spec
    protected CommandSpec spec;

    /** The options, wherever they stood. */
    protected final ConnectionOptions cluster() {
        CommandSpec common = Objects.requireNonNull(spec.root().mixins().get(COMMON_OPTIONS), COMMON_OPTIONS);
        return (ConnectionOptions) common.userObject();
    }
}
