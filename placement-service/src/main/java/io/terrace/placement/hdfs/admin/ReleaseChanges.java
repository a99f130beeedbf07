package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.volume.HomeMoves;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out {@code placementctl release} for one file; whoever calls has checked the caller's rights. Looks at its blocks
 * in slices, one hold of the NameNode's read lock each.
 */
final class ReleaseChanges {

    private final PlacementLoop loop;
    private final NamesystemView view;
    private final NamesystemLookup lookup;

    ReleaseChanges(PlacementLoop loop, NamesystemView view, NamesystemLookup lookup) {
        this.loop = loop;
        this.view = view;
        this.lookup = lookup;
    }

    /** With how many replicas are off the storage policy, and how many bytes that are. */
    ChangeResponseProto release(String target, boolean dryRun)
            throws IOException, TimeoutException, InterruptedException {
        String path = AdminTarget.parse(target).path();
        if (path == null) {
            throw new IllegalArgumentException("files are released, not blocks: name a path");
        }
        FileFacts file = lookup.file(path);
        ChangeResponseProto.Builder response = ChangeResponseProto.newBuilder();
        if (file.striped()) {
            return response.setAccepted(0)
                    .setRefused(1)
                    .addMessages(file.path() + " is erasure-coded; its blocks are not moved")
                    .build();
        }
        Refusals refusals = new Refusals();
        List<Located> blocks = view.allBlocksOf(file.inode());
        int off = 0;
        long offBytes = 0;
        for (int from = 0; from < blocks.size(); from += view.lockBlocks()) {
            List<Long> ids = blocks.subList(from, Math.min(blocks.size(), from + view.lockBlocks())).stream()
                    .map(located -> located.block().id())
                    .toList();
            List<@Nullable Home> homes = view.homes(ids);
            if (homes.isEmpty()) {
                throw new IOException("the NameNode is in safe mode: nothing moves");
            }
            List<HomeMoves.Outcome> outcomes = loop.changeInTime(placement -> homes.stream()
                    .map(home ->
                            home == null ? HomeMoves.Outcome.NONE_OFF : placement.release(loop.nowMs(), home, dryRun))
                    .toList());
            for (int i = 0; i < outcomes.size(); i++) {
                HomeMoves.Outcome outcome = outcomes.get(i);
                off += outcome.off();
                offBytes += outcome.off() * blocks.get(from + i).block().lengthBytes();
                for (String why : outcome.refusals()) {
                    refusals.add(blocks.get(from + i).block(), why);
                }
                outcome.open().forEach(move -> response.addMoveIds(move.id()));
            }
        }
        return response.setAccepted(1)
                .setRefused(refusals.count())
                .addAllMessages(refusals.lines())
                .setOff(off)
                .setOffBytes(offBytes)
                .build();
    }
}
