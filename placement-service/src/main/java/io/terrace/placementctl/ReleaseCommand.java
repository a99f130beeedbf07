package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl release}. Lists the files below a path as {@code hdfs dfs -ls -R} does, and asks for one after another. */
@Command(
        name = "release",
        description = {
            "Moves the replicas of a file, or of all files below a directory, back to the tier of their storage policy, each"
                    + " within its DataNode, and keeps ranges of tiers from moving them for hours.",
            "Needs the superuser or terrace.placement.admin.acl, and the right to list a directory."
        },
        mixinStandardHelpOptions = true)
final class ReleaseCommand extends ClusterCommand {

    private static final long PAUSE_MS = 500;

    private static final long SAY_EACH_NS = TimeUnit.SECONDS.toNanos(10);

    /** For so long a service that is busy is asked again. */
    private static final long BUSY_NS = TimeUnit.SECONDS.toNanos(10);

    /** So long no replica may move back before {@code --wait} gives up; the longest pause after a failed move is 5 min. */
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(6);

    /** Of a directory whose new files keep going off their policy {@code --wait} says what is left. */
    private static final int MOST_LISTINGS = 3;

    private static final int MOST_MESSAGES = 20;

    @Parameters(paramLabel = "PATH", description = "An absolute path of a file or directory.")
    String target;

    @Option(names = "--dry-run", description = "Only says how many replicas and bytes are off the storage policy.")
    boolean dryRun;

    @Option(names = "--wait", description = "Waits until all are moved back, and says how many are left.")
    boolean awaited;

    /** Of the files that were asked for. */
    private static final class Total {
        private int files;
        /** Listed, and deleted or renamed before they were asked for. */
        private int gone;

        private int off;
        private long offBytes;
        private int refused;
        /** Of those, in files of which nothing is to be moved. */
        private int refusedInPlace;

        /** Of those that are off, when all of them were asked for last. */
        private int left;
        /** Whether all files were asked for. */
        private boolean complete;
        /** Whether some may be moved when they are asked for again, also where more messages were said than are kept. */
        private boolean transientRefusals;

        private final List<String> messages = new ArrayList<>();
        private final List<String> messagesInPlace = new ArrayList<>();

        private void add(ChangeResponseProto answer) {
            files++;
            off += answer.getOff();
            offBytes += answer.getOffBytes();
            refused += answer.getRefused();
            keep(messages, answer.getMessagesList());
            transientRefusals |= answer.getMessagesList().stream().anyMatch(ReleaseCommand::isTransient);
            if (answer.getOff() == 0) {
                refusedInPlace += answer.getRefused();
                keep(messagesInPlace, answer.getMessagesList());
            }
        }

        private static void keep(List<String> kept, List<String> more) {
            more.stream().limit(Math.max(0, MOST_MESSAGES - kept.size())).forEach(kept::add);
        }

        /** Once all files were listed and asked for again, they count as they are now; what was off once was moved back. */
        private void renew(Total pass) {
            files = pass.files;
            gone += pass.gone;
            off += pass.off;
            offBytes += pass.offBytes;
            left = pass.off;
            refused = pass.refused;
            refusedInPlace = pass.refusedInPlace;
            messages.clear();
            messages.addAll(pass.messages);
            messagesInPlace.clear();
            messagesInPlace.addAll(pass.messagesInPlace);
        }

        /** Once all that was left was asked for again, what was refused before counts no more. */
        private void update(Total pass) {
            gone += pass.gone;
            left = pass.off;
            refused = refusedInPlace + pass.refused - pass.refusedInPlace;
            messages.clear();
            keep(messages, messagesInPlace);
            keep(messages, pass.messages);
        }
    }

    @Override
    public Integer call() throws Refused, Unreachable, InterruptedException {
        requireAbsolute(target);
        if (dryRun && awaited) {
            throw cluster().usage("--dry-run and --wait exclude each other");
        }
        Configuration conf = cluster().configuration();
        Printer printer = new Printer(spec);
        Total total = new Total();
        try (AdminClient client = cluster().connect(conf);
                FileSystem fs = open(conf)) {
            Total pass = total;
            List<String> left = askForAll(client, fs, pass);
            total.left = total.off;
            total.complete = true;
            for (int listed = 1;
                    listed < MOST_LISTINGS && !left.isEmpty() && areMovedBack(client, printer, total, pass, left);
                    listed++) {
                // A file that was back before the others may have been appended to, recovered or renamed since.
                pass = new Total();
                left = askForAll(client, fs, pass);
                total.renew(pass);
            }
            if (awaited) {
                // Nobody waits for what is left any more.
                total.refused = total.left + total.refusedInPlace;
            }
        } catch (IOException e) {
            tellSoFar(printer, total);
            throw new Refused("files below " + target + " cannot be listed: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString()));
        } catch (Refused | Unreachable e) {
            tellSoFar(printer, total);
            throw e;
        }
        return tell(printer, total);
    }

    /** Lists the files and asks for each of them; those of which something is off, if it is waited for. */
    private List<String> askForAll(AdminClient client, FileSystem fs, Total total)
            throws IOException, Refused, Unreachable, InterruptedException {
        List<String> left = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> files = fs.listFiles(new Path(target), true);
        while (files.hasNext()) {
            String file = files.next().getPath().toUri().getPath();
            if (isOff(client, file, total) && awaited) {
                left.add(file);
            }
        }
        return left;
    }

    /** Asks for a file that was listed, and whether some of it is off its storage policy; no, if it is gone. */
    private boolean isOff(AdminClient client, String file, Total total)
            throws Refused, Unreachable, InterruptedException {
        ChangeRequestProto request = ChangeRequestProto.newBuilder()
                .setVerb(VerbProto.RELEASE)
                .setTarget(file)
                .setDryRun(dryRun)
                .build();
        long busySinceNs = 0;
        for (boolean busy = false; ; busy = true) {
            try {
                ChangeResponseProto answer = client.active(service -> service.change(null, request));
                total.add(answer);
                return answer.getOff() > 0;
            } catch (Refused e) {
                if (!e.isFor(FileNotFoundException.class)) {
                    throw e;
                }
                total.gone++;
                return false;
            } catch (Unreachable e) {
                long nowNs = System.nanoTime();
                busySinceNs = busy ? busySinceNs : nowNs;
                if (!e.isBusy() || nowNs - busySinceNs >= BUSY_NS) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    /** What was asked for before it failed. */
    private void tellSoFar(Printer printer, Total total) {
        if (total.files > 0) {
            total.left = total.complete ? total.left : total.off;
            int unused = tell(printer, total);
        }
    }

    /**
     * Asks again and again for the files that are left: so what was refused, e.g. since too much waits, is tried again.
     *
     * @param pass in which they were off
     * @return whether each of them said once that nothing is off any more
     */
    private boolean areMovedBack(AdminClient client, Printer printer, Total total, Total pass, List<String> files)
            throws Refused, Unreachable, InterruptedException {
        List<String> left = files;
        Total now = pass;
        int least = now.off;
        long progressNs = System.nanoTime();
        long saidNs = progressNs - SAY_EACH_NS;
        while (!left.isEmpty() && System.nanoTime() - progressNs < PATIENCE_NS) {
            if (!cluster().json && System.nanoTime() - saidNs >= SAY_EACH_NS) {
                saidNs = System.nanoTime();
                printer.line(now.off + " replicas, " + (now.offBytes >> 20) + " MB to go");
            }
            Thread.sleep(PAUSE_MS);
            now = new Total();
            List<String> still = new ArrayList<>();
            for (String file : left) {
                if (isOff(client, file, now)) {
                    still.add(file);
                }
            }
            left = still;
            total.update(now);
            if (now.off < least) {
                least = now.off;
                progressNs = System.nanoTime();
            } else if (now.refused == now.off && !now.transientRefusals) {
                break;
            }
        }
        return left.isEmpty();
    }

    private static boolean isTransient(String message) {
        return message.endsWith("ask again");
    }

    private int tell(Printer printer, Total total) {
        if (cluster().json) {
            ObjectNode json = ProtoJson.MAPPER
                    .createObjectNode()
                    .put("verb", "release")
                    .put("path", target)
                    .put("dryRun", dryRun)
                    .put("files", total.files)
                    .put("off", total.off)
                    .put("offBytes", total.offBytes)
                    .put("left", total.left)
                    .put("refused", total.refused)
                    .put("gone", total.gone)
                    .put("complete", total.complete);
            total.messages.forEach(json.putArray("messages")::add);
            printer.json(json);
        } else {
            printer.line(total.files + " files: " + total.off + " replicas, " + (total.offBytes >> 20)
                    + " MB off their storage policy" + (dryRun ? "." : ended(total)));
            if (total.gone > 0) {
                printer.line("  " + total.gone + " deleted or renamed meanwhile");
            }
            total.messages.forEach(message -> printer.line("  " + Table.printable(message)));
        }
        return total.refused > 0 && !dryRun ? ExitCode.REFUSED : ExitCode.OK;
    }

    private String ended(Total total) {
        return awaited
                ? ", " + (total.off - total.left) + " moved back, " + total.left + " left."
                : ", " + Math.max(0, total.off - (total.refused - total.refusedInPlace)) + " to be moved back, "
                        + total.refused + " refused.";
    }
}
