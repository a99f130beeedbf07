package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.check.PromotionWait;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Durations;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that change something. They need the superuser or {@code terrace.placement.admin.acl}. */
final class ChangeCommands {

    private ChangeCommands() {}

    /** What all of them do: send one verb and say what became of it. */
    abstract static class Change extends AdminCommand {

        abstract ChangeRequestProto request();

        abstract String done(ChangeResponseProto response);

        @Override
        int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
            ChangeRequestProto request = request();
            ChangeResponseProto response = client.active(service -> service.change(null, request));
            boolean refused = response.getAccepted() == 0;
            if (cluster().json) {
                printer.json(json(request, response));
            } else {
                printer.line(refused ? printer.doubtful("Nothing to do.") : done(response));
                response.getMessagesList().forEach(message -> printer.line("  " + Table.printable(message)));
                int unnamed = response.getRefused() - response.getMessagesCount();
                if (unnamed > 0) {
                    printer.line("  and " + unnamed + " more");
                }
            }
            return refused ? PlacementCtl.REFUSED : PlacementCtl.OK;
        }

        static ObjectNode json(ChangeRequestProto request, ChangeResponseProto response) {
            return ProtoJson.object(response)
                    .put(
                            "verb",
                            request.getVerb().name().toLowerCase(Locale.ROOT).replace("_now", ""));
        }

        static ChangeRequestProto of(VerbProto verb, @Nullable String target) {
            ChangeRequestProto.Builder request = ChangeRequestProto.newBuilder().setVerb(verb);
            return target == null ? request.build() : request.setTarget(target).build();
        }

        static String blocks(int count) {
            return count + (count == 1 ? " block" : " blocks");
        }
    }

    @Command(
            name = "promote",
            description =
                    "Brings a file's blocks, or a block, into memory now. Ten minutes later they are evicted like others.",
            mixinStandardHelpOptions = true)
    static final class Promote extends Change {

        @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
        String target;

        @Option(
                names = "--datanode",
                paramLabel = "HOST:PORT|UUID",
                description = "Where; default: its home, or where most room is.")
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
        int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
            if (!wait) {
                return super.run(client, printer);
            }
            ChangeResponseProto response = client.active(service -> service.change(null, request()));
            boolean done = new PromotionWait(client, printer, timeoutMs)
                    .report(response, cluster().json ? json(request(), response) : null);
            return done ? PlacementCtl.OK : PlacementCtl.REFUSED;
        }

        @Override
        ChangeRequestProto request() {
            ChangeRequestProto request = of(VerbProto.PROMOTE_NOW, target);
            return node == null ? request : request.toBuilder().setNode(node).build();
        }

        @Override
        String done(ChangeResponseProto response) {
            return blocks(response.getAccepted()) + " to be promoted, " + response.getRefused() + " refused.";
        }
    }

    @Command(
            name = "demote",
            description = "Takes a file's blocks, or a block, out of memory now. Fresh reads may bring them back.",
            mixinStandardHelpOptions = true)
    static final class Demote extends Change {

        @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
        String target;

        @Override
        ChangeRequestProto request() {
            return of(VerbProto.DEMOTE_NOW, target);
        }

        @Override
        String done(ChangeResponseProto response) {
            return blocks(response.getAccepted()) + " to be dropped, " + response.getRefused() + " refused.";
        }
    }

    /** A change of everything, which needs no words but its verb. */
    abstract static class Switch extends Change {

        private final VerbProto verb;
        private final String done;

        Switch(VerbProto verb, String done) {
            this.verb = verb;
            this.done = done;
        }

        @Override
        ChangeRequestProto request() {
            return of(verb, null);
        }

        @Override
        String done(ChangeResponseProto response) {
            return done;
        }
    }

    @Command(
            name = "pin",
            description = "Brings a file into memory and keeps it there, through restarts and failovers.",
            mixinStandardHelpOptions = true)
    static final class Pin extends Change {

        @Parameters(paramLabel = "PATH", description = "An absolute path of a file.")
        String target;

        @Override
        ChangeRequestProto request() {
            return of(VerbProto.PIN, target);
        }

        @Override
        String done(ChangeResponseProto response) {
            return Table.printable(target) + " is pinned.";
        }
    }

    @Command(name = "unpin", description = "Leaves a file to the policy again.", mixinStandardHelpOptions = true)
    static final class Unpin extends Change {

        @Parameters(paramLabel = "PATH", description = "An absolute path of a file.")
        String target;

        @Override
        ChangeRequestProto request() {
            return of(VerbProto.UNPIN, target);
        }

        @Override
        String done(ChangeResponseProto response) {
            return Table.printable(target) + " is not pinned.";
        }
    }

    @Command(
            name = "pause",
            description = "Stops moves; what is in memory is served on.",
            mixinStandardHelpOptions = true)
    static final class Pause extends Switch {
        Pause() {
            super(VerbProto.PAUSE, "Moves are paused.");
        }
    }

    @Command(name = "resume", description = "Lets moves go on.", mixinStandardHelpOptions = true)
    static final class Resume extends Switch {
        Resume() {
            super(VerbProto.RESUME, "Moves go on.");
        }
    }

    @Command(
            name = "off",
            description = "Takes Terrace out without a restart: no grants, no moves, reads are stock.",
            mixinStandardHelpOptions = true)
    static final class Off extends Switch {
        Off() {
            super(VerbProto.OFF, "Terrace is off; grants end with their leases.");
        }
    }

    @Command(name = "on", description = "Lets Terrace serve again.", mixinStandardHelpOptions = true)
    static final class On extends Switch {
        On() {
            super(VerbProto.ON, "Terrace is on.");
        }
    }
}
