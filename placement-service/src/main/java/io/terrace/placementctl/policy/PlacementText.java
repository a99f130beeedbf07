package io.terrace.placementctl.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.cluster.ClusterReplay.Outcome;
import io.terrace.placementctl.simulate.PlacementReplay;
import io.terrace.placementctl.simulate.PolicyReplay;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What {@code placementctl policy simulate --cluster} shows of the DataNodes. */
final class PlacementText {

    private PlacementText() {}

    /** One column for each policy. */
    static void print(Printer printer, List<PolicyReplay> replays, List<PlacementReplay> placements) {
        List<@Nullable Object> head = new ArrayList<>();
        PlacementReplay first = placements.get(0);
        head.add("over " + first.dataNodes() + (first.dataNodes() == 1 ? " DataNode" : " DataNodes"));
        replays.forEach(replay -> head.add(">" + replay.label().toUpperCase(Locale.ROOT)));
        Table table = new Table(head.stream().map(String::valueOf).toArray(String[]::new));
        row(table, placements, "reads from memory", placement -> share(placement.cluster(), Outcome::hits));
        row(table, placements, "  on the reader's host", placement -> share(placement.cluster(), Outcome::local));
        row(
                table,
                placements,
                "  of what one memory serves",
                placement ->
                        percent(placement.cluster().hits(), placement.pooled().hits()));
        row(
                table,
                placements,
                "bytes from memory",
                placement -> Quantity.bytes((long) placement.cluster().hitBytes()));
        row(
                table,
                placements,
                "copies made",
                placement -> placement.cluster().promotions() + ", "
                        + Quantity.bytes((long) placement.cluster().promotedBytes()));
        row(
                table,
                placements,
                "reads served by copies made before",
                placement -> share(placement.cluster(), Outcome::ahead));
        row(
                table,
                placements,
                "  such copies in vain",
                placement -> Quantity.bytes((long) placement.cluster().vainBytes()));
        row(table, placements, "homes changed", placement -> placement.cluster().homesChanged());
        printer.table(table);
        printer.line("The log says of "
                + percent(first.readsPlaced(), first.cluster().reads())
                + " of the reads where the reader was,");
        printer.line("and of " + first.blocksPlaced() + " blocks which DataNodes hold them.");
    }

    private static void row(
            Table table, List<PlacementReplay> placements, String head, Function<PlacementReplay, Object> cell) {
        List<@Nullable Object> cells = new ArrayList<>();
        cells.add(head);
        placements.forEach(placement -> cells.add(cell.apply(placement)));
        table.row(cells.toArray());
    }

    private static String share(Outcome outcome, Function<Outcome, Long> reads) {
        return percent(reads.apply(outcome), outcome.reads());
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    static ObjectNode json(PlacementReplay placement) {
        Outcome cluster = placement.cluster();
        return ProtoJson.MAPPER
                .createObjectNode()
                .put("dataNodes", placement.dataNodes())
                .put("readsPlaced", placement.readsPlaced())
                .put("blocksPlaced", placement.blocksPlaced())
                .put("reads", cluster.reads())
                .put("readsFromMemory", cluster.hits())
                .put("readsFromMemoryOnHost", cluster.local())
                .put("readsFromOneMemory", placement.pooled().hits())
                .put("bytesFromMemory", (long) cluster.hitBytes())
                .put("copies", cluster.promotions())
                .put("bytesCopied", (long) cluster.promotedBytes())
                .put("readsServedAhead", cluster.ahead())
                .put("bytesInVain", (long) cluster.vainBytes())
                .put("homesChanged", cluster.homesChanged());
    }
}
