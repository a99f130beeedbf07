package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Pin;
import io.terrace.protocol.proto.AdminProtos.PinProto;
import io.terrace.protocol.proto.AdminProtos.PinsResponseProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;

/** Answers which files and directories are pinned, by operators and by rules; whoever calls has checked the caller's rights. */
final class PinList {

    private record Pins(
            SortedMap<Long, Pin> ofOperators,
            Map<Long, Integer> ofRules,
            Map<Long, Long> bytes,
            Map<Long, Long> leftOut,
            long allLeftOut) {}

    private final PlacementLoop loop;
    private final NamesystemLookup lookup;

    PinList(PlacementLoop loop, NamesystemLookup lookup) {
        this.loop = loop;
        this.lookup = lookup;
    }

    PinsResponseProto answer() throws TimeoutException, InterruptedException {
        Pins pins = loop.ask(placement -> new Pins(
                placement.operatorState().pins(),
                placement.reports().rulePins(),
                placement.reports().pinnedBytes(),
                placement.reports().pinnedLeftOut(),
                placement.reports().pinnedBlocksLeftOut()));
        Set<Long> all = new HashSet<>(pins.ofOperators.keySet());
        all.addAll(pins.ofRules.keySet());
        Map<Long, String> paths = lookup.paths(all);
        List<PinProto> rows = new ArrayList<>();
        pins.ofOperators.forEach((inode, pin) -> rows.add(row(inode, paths, pin)
                .setBytes(pins.bytes.getOrDefault(inode, 0L))
                .setLeftOutBlocks(pins.leftOut.getOrDefault(inode, 0L))
                .build()));
        pins.ofRules.forEach((inode, rule) ->
                rows.add(row(inode, paths).setKind("rule").setRule(rule).build()));
        rows.sort(Comparator.comparing(PinProto::getGone)
                .thenComparing(PinProto::getPath)
                .thenComparing(PinProto::getInode)
                .thenComparing(PinProto::getKind));
        return PinsResponseProto.newBuilder()
                .addAllPins(rows)
                .setMost(OperatorState.MOST_PINS)
                .setMostBlocks(PinnedBlocks.MOST_BLOCKS)
                .setLeftOutBlocks(pins.allLeftOut)
                .build();
    }

    private static PinProto.Builder row(long inode, Map<Long, String> paths, Pin pin) {
        PinProto.Builder row = row(inode, paths).setKind(pin.recursive() ? "directory" : "file");
        if (!pin.order().by().isEmpty()) {
            row.setBy(pin.order().by());
        }
        if (pin.order().sinceMs() > 0) {
            row.setSinceMs(pin.order().sinceMs());
        }
        return pin.untilMs() > 0 ? row.setUntilMs(pin.untilMs()) : row;
    }

    private static PinProto.Builder row(long inode, Map<Long, String> paths) {
        String path = paths.get(inode);
        PinProto.Builder row = PinProto.newBuilder().setInode(inode).setGone(path == null);
        return path == null ? row : row.setPath(path);
    }
}
