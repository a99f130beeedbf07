package io.terrace.placementctl;

import io.terrace.placementctl.client.ConnectionOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that takes the options of {@link ConnectionOptions}, before its verb or after it. */
abstract class ClusterCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    /** The options, wherever they stood. */
    final ConnectionOptions cluster() {
        return ((PlacementCtl) spec.root().userObject()).cluster;
    }
}
