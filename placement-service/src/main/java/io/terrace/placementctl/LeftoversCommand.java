package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl leftovers}. Needs no placement service: it is for the time after Terrace. */
@Command(
        name = "leftovers",
        description = {
            "Lists the extended attributes of Terrace in the namespace: annotations, and what the service keeps at the root"
                    + " directory. With --remove it removes them for good.",
            "Asks the NameNode once for each file and directory below PATH. Run it as the superuser, who alone sees all."
        },
        mixinStandardHelpOptions = true)
final class LeftoversCommand extends ClusterCommand {

    @Parameters(
            paramLabel = "PATH",
            arity = "0..1",
            defaultValue = "/",
            description = "An absolute path of a file or directory. Default: ${DEFAULT-VALUE}.")
    String path;

    @Option(names = "--remove", description = "Removes them. Refused while a placement service runs.")
    boolean remove;

    private long attributes;
    private long paths;

    @Override
    public Integer call() throws Refused {
        requireAbsolute(path);
        if (remove && cluster().namesService()) {
            throw cluster()
                    .usage("--remove asks the services of all NameNodes in the configuration, so that none stores its"
                            + " attributes again: leave out --service");
        }
        if (remove) {
            requireNoService();
        }
        Printer printer = new Printer(spec);
        ObjectNode json = ProtoJson.MAPPER.createObjectNode().put("path", path);
        ArrayNode found = json.putArray("attributes");
        Configuration conf = cluster().configuration();
        try (FileSystem fs = open(conf)) {
            walk(fs, printer, found);
        } catch (IOException | UnsupportedOperationException e) {
            if (cluster().json && !found.isEmpty()) {
                printer.json(json.put("paths", paths).put("removed", remove).put("complete", false));
            }
            throw new Refused("the attributes below " + path + " were not all " + (remove ? "removed" : "listed") + ": "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString())
                    + "; run it again as the superuser");
        }
        if (cluster().json) {
            printer.json(json.put("paths", paths).put("removed", remove).put("complete", true));
        } else {
            printer.line(attributes + " attributes of Terrace" + (remove ? " removed" : "") + ", " + paths
                    + " files and directories looked at");
        }
        return ExitCode.OK;
    }

    private void requireNoService() throws Refused {
        try (AdminClient client = cluster().connect()) {
            for (AdminClient.Peer peer : client.peers()) {
                if (peer.status() != null) {
                    throw new Refused("a placement service runs at " + peer.name()
                            + ", which would store its attributes again: restart its NameNode without Terrace first");
                }
                if (!peer.absent()) {
                    throw new Refused(
                            "whether a placement service runs at " + peer.name() + " is not known: " + peer.problem()
                                    + "; nothing was removed. Run it again as the superuser once that is mended");
                }
            }
        }
    }

    /** Depth first: what waits is one directory of each level, and the directories beside it. */
    private void walk(FileSystem fs, Printer printer, ArrayNode found) throws IOException {
        Deque<Path> toList = new ArrayDeque<>();
        FileStatus top = fs.getFileStatus(new Path(path));
        look(fs, top.getPath(), printer, found);
        if (top.isDirectory()) {
            toList.push(top.getPath());
        }
        while (!toList.isEmpty()) {
            Path directory = toList.pop();
            try {
                RemoteIterator<FileStatus> entries = fs.listStatusIterator(directory);
                while (entries.hasNext()) {
                    FileStatus entry = entries.next();
                    look(fs, entry.getPath(), printer, found);
                    if (entry.isDirectory()) {
                        toList.push(entry.getPath());
                    }
                }
            } catch (FileNotFoundException goneMeanwhile) {
                continue;
            }
        }
    }

    private void look(FileSystem fs, Path where, Printer printer, ArrayNode found) throws IOException {
        paths++;
        List<String> names;
        try {
            names = fs.listXAttrs(where);
        } catch (FileNotFoundException goneMeanwhile) {
            return;
        }
        for (String name : names) {
            if (Arrays.stream(Scope.values()).anyMatch(scope -> name.startsWith(scope.prefix()))) {
                String plain = where.toUri().getPath();
                if (remove) {
                    try {
                        fs.removeXAttr(where, name);
                    } catch (FileNotFoundException goneMeanwhile) {
                        return;
                    }
                }
                attributes++;
                if (cluster().json) {
                    found.addObject().put("path", plain).put("attribute", name);
                } else {
                    printer.line(Table.printable(name) + " of " + Table.printable(plain) + (remove ? " removed" : ""));
                }
            }
        }
    }
}
