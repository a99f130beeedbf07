package io.terrace.placementctl.command;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Printer;

/** A command that asks the placement services of a cluster and prints what they say. */
public abstract class AdminCommand extends ClusterCommand {

    /** Does it all; returns the exit code. */
    protected abstract int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException;

    @Override
    public final Integer call() throws Refused, Unreachable, InterruptedException {
        try (AdminClient client = cluster().connect()) {
            return run(client, new Printer(spec));
        }
    }
}
