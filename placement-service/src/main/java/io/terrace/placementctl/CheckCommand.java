package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.check.Cause;
import io.terrace.placementctl.check.CheckedBlock;
import io.terrace.placementctl.check.FileCheck;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl check}. */
@Command(
        name = "check",
        description =
                "Reads a file as clients of this host do. Says what served each block and, where that was not memory,"
                        + " why not and what helps.",
        mixinStandardHelpOptions = true)
final class CheckCommand extends ClusterCommand {

    @Parameters(paramLabel = "PATH", description = "An absolute path of a file.")
    String path;

    @Option(
            names = "--blocks",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many blocks, 1 to 100. Default: ${DEFAULT-VALUE}")
    int most;

    @Override
    public Integer call() throws Refused, IOException {
        if (most < 1 || most > 100) {
            throw cluster().usage("--blocks is " + most + "; it must be from 1 to 100");
        }
        requireAbsolute(path);
        Configuration conf = cluster().configuration();
        Map<Long, String> inMemory = new HashMap<>();
        String unasked = ask(conf, inMemory);
        FileCheck check;
        try {
            check = FileCheck.of(cluster().fileSystem(conf), impatient(conf), path, most, inMemory);
        } catch (IOException e) {
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new Refused(message.lines().findFirst().orElse(message));
        } catch (IllegalArgumentException e) {
            throw unopened(conf, e);
        }
        Printer printer = new Printer(spec);
        if (cluster().json) {
            printer.json(json(check, unasked));
        } else {
            print(printer, check, unasked);
        }
        return check.fromMemory() == check.blocks().size() ? ExitCode.OK : ExitCode.REFUSED;
    }

    /** Learns from the service what is in memory where; says why it could not. */
    private @Nullable String ask(Configuration conf, Map<Long, String> inMemory) {
        try (AdminClient client = cluster().connect(conf)) {
            ExplainRequestProto request = ExplainRequestProto.newBuilder()
                    .setTarget(path)
                    .setBlocks(most)
                    .build();
            for (BlockReportProto block :
                    client.active(service -> service.explain(null, request)).getBlocksList()) {
                block.getReplicasList().stream()
                        .filter(ReplicaProto::getInMemory)
                        .findFirst()
                        .ifPresent(replica -> inMemory.put(block.getBlock().getBlockId(), replica.getName()));
            }
            return null;
        } catch (Refused | Unreachable e) {
            return String.valueOf(e.getMessage()).lines().map(String::strip).collect(Collectors.joining(" "));
        }
    }

    private void print(Printer printer, FileCheck check, @Nullable String unasked) throws IOException {
        printer.line(Table.printable(path) + "  " + Quantity.bytes(check.lengthBytes()) + ", " + check.blockCount()
                + (check.blockCount() == 1 ? " block" : " blocks") + ", read as "
                + UserGroupInformation.getCurrentUser().getShortUserName());
        if (unasked != null) {
            wrapped(printer, "", "The placement service did not say what is in memory: " + unasked);
        }
        printer.line("");
        Table table = new Table("BLOCK", ">SIZE", "~SERVED BY");
        for (CheckedBlock block : check.blocks()) {
            table.row(
                    "blk_" + block.blockId(),
                    Quantity.bytes(block.lengthBytes()),
                    block.served().text() + (block.dataNode() == null ? "" : ", " + block.dataNode()));
        }
        printer.table(table);
        printer.line("");
        int good = check.fromMemory();
        int all = check.blocks().size();
        String result = all == 0
                ? "The file is empty."
                : good == all
                        ? (all == 1
                                ? "The block was read from memory."
                                : "All " + all + " blocks were read from memory.")
                        : good + " of " + all + (all == 1 ? " block was" : " blocks were") + " read from memory.";
        printer.line(good == all ? printer.good(result) : printer.doubtful(result));
        for (Cause cause : causes(check)) {
            wrapped(printer, "  Why     ", cause.why());
            wrapped(printer, "  Remedy  ", cause.remedy());
        }
    }

    private static List<Cause> causes(FileCheck check) {
        return check.blocks().stream()
                .map(CheckedBlock::cause)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private static void wrapped(Printer printer, String head, String text) {
        String indent = head;
        for (String line : Table.wrapped(text, Table.WIDTH - head.length())) {
            printer.line(indent + line);
            indent = " ".repeat(head.length());
        }
    }

    private ObjectNode json(FileCheck check, @Nullable String unasked) throws IOException {
        ObjectNode json = ProtoJson.MAPPER
                .createObjectNode()
                .put("path", path)
                .put("user", UserGroupInformation.getCurrentUser().getShortUserName())
                .put("lengthBytes", check.lengthBytes())
                .put("blockCount", check.blockCount())
                .put("fromMemory", check.fromMemory());
        if (unasked != null) {
            json.put("serviceTrouble", unasked);
        }
        ArrayNode blocks = json.putArray("blocks");
        for (CheckedBlock block : check.blocks()) {
            ObjectNode one = blocks.addObject()
                    .put("blockId", block.blockId())
                    .put("lengthBytes", block.lengthBytes())
                    .put("servedBy", block.served().id());
            if (block.dataNode() != null) {
                one.put("dataNode", block.dataNode());
            }
            Cause cause = block.cause();
            if (cause != null) {
                one.put("cause", cause.why()).put("remedy", cause.remedy());
            }
        }
        return json;
    }
}
