package io.terrace.placementctl;

import static io.terrace.conf.TerraceSettings.DATANODE_GRANTS_LEASE;

import io.terrace.placementctl.check.PromotionWait;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ChangeCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.command.SwitchCommand;
import io.terrace.placementctl.terminal.Durations;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that change something. They need the superuser or {@code terrace.placement.admin.acl}. */
final class ChangeCommands {

    private ChangeCommands() {}

    @Command(
            name = "promote",
            description = "Brings a file's blocks, or a block, into memory now. Ten minutes later they are evicted like"
                    + " others.",
            mixinStandardHelpOptions = true)
    static final class Promote extends ChangeCommand {

        @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
        String target;

        @Option(
                names = "--datanode",
                paramLabel = "HOST:PORT",
                description = "DataNode, also as UUID. Default: its home, or where most room is.")
        @Nullable
        String node;

        @Option(
                names = "--wait",
                description = "Wait until all blocks are in memory. Exit code 1, with the reason, if one is not.")
        boolean wait;

        @Option(
                names = "--timeout",
                paramLabel = "TIME",
                defaultValue = "5m",
                converter = Durations.class,
                description = "How long --wait waits, e.g. 30s. Default: ${DEFAULT-VALUE}")
        long timeoutMs;

        @Override
        protected int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
            if (!wait) {
                return super.run(client, printer);
            }
            ChangeResponseProto response = client.active(service -> service.change(null, request()));
            boolean done = new PromotionWait(client, printer, timeoutMs)
                    .report(response, cluster().json ? json(request(), response) : null);
            return done ? ExitCode.OK : ExitCode.REFUSED;
        }

        @Override
        protected ChangeRequestProto request() {
            ChangeRequestProto request = of(VerbProto.PROMOTE_NOW, target);
            return node == null ? request : request.toBuilder().setNode(node).build();
        }

        @Override
        protected String done(ChangeResponseProto response) {
            int refused = response.getRefused() - response.getInMemory() - response.getOpenMoveIdsCount();
            return blocks(response.getAccepted()) + " to be promoted, " + refused + " refused.";
        }
    }

    @Command(
            name = "demote",
            description = "Takes a file's blocks, or a block, out of memory now. Fresh reads may bring them back.",
            mixinStandardHelpOptions = true)
    static final class Demote extends ChangeCommand {

        @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
        String target;

        @Override
        protected ChangeRequestProto request() {
            return of(VerbProto.DEMOTE_NOW, target);
        }

        @Override
        protected String done(ChangeResponseProto response) {
            return blocks(response.getAccepted()) + " to be dropped, " + response.getRefused() + " refused.";
        }
    }

    @Command(
            name = "pin",
            description =
                    "Brings a file, or all files below a directory, into memory and keeps them there, through restarts"
                            + " and failovers.",
            mixinStandardHelpOptions = true)
    static final class Pin extends ChangeCommand {

        @Parameters(paramLabel = "PATH", description = "An absolute path of a file or directory.")
        String target;

        @Option(
                names = {"-r", "--recursive"},
                description = "Of a directory: pin all files below it, those included that come later.")
        boolean recursive;

        @Option(
                names = "--ttl",
                paramLabel = "TIME",
                converter = Durations.class,
                description = "The pin ends by itself after this, e.g. 2h; at most 3650d. Default: until unpin")
        @Nullable
        Long ttlMs;

        @Override
        protected ChangeRequestProto request() {
            ChangeRequestProto request = of(VerbProto.PIN, target).toBuilder()
                    .setRecursive(recursive)
                    .build();
            return ttlMs == null ? request : request.toBuilder().setTtlMs(ttlMs).build();
        }

        @Override
        protected String done(ChangeResponseProto response) {
            return Table.printable(target) + " is pinned.";
        }
    }

    @Command(
            name = "unpin",
            description = "Leaves a file, or the files below a directory, to the policy again.",
            mixinStandardHelpOptions = true)
    static final class Unpin extends ChangeCommand {

        @Parameters(paramLabel = "PATH", description = "An absolute path of a file or directory.")
        String target;

        @Override
        protected ChangeRequestProto request() {
            return of(VerbProto.UNPIN, target);
        }

        @Override
        protected String done(ChangeResponseProto response) {
            return Table.printable(target) + " is not pinned.";
        }
    }

    @Command(
            name = "pause",
            description = "Stops moves; what is in memory is served on.",
            mixinStandardHelpOptions = true)
    static final class Pause extends SwitchCommand {
        Pause() {
            super(VerbProto.PAUSE, "Moves are paused.");
        }
    }

    @Command(name = "resume", description = "Lets moves go on.", mixinStandardHelpOptions = true)
    static final class Resume extends SwitchCommand {
        Resume() {
            super(VerbProto.RESUME, "Moves go on.");
        }
    }

    @Command(
            name = "off",
            description = "Takes Terrace out without a restart: no grants, no moves, reads are stock.",
            mixinStandardHelpOptions = true)
    static final class Off extends SwitchCommand {
        Off() {
            super(
                    VerbProto.OFF,
                    "Terrace is off. Clients may read open files from memory for up to\n" + DATANODE_GRANTS_LEASE.key()
                            + " + .deadline (default 65 s).");
        }
    }

    @Command(name = "on", description = "Lets Terrace serve again.", mixinStandardHelpOptions = true)
    static final class On extends SwitchCommand {
        On() {
            super(VerbProto.ON, "Terrace is on.");
        }
    }
}
