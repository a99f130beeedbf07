package io.terrace.placement.hdfs.admin;

import io.terrace.placement.report.HotBlock;
import io.terrace.placement.state.NamespaceView.Named;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@code top} is answered from: the {@value #MOST} hottest blocks and their files. To find them, the
 * loop looks at all heat, so there are {@value #VALID_MS} ms from one search to the next, however many ask. Thread-safe; whoever asks
 * meanwhile waits.
 */
final class HottestBlocks {

    static final int MOST = 1000;
    static final long VALID_MS = 1000;

    private final LongSupplier clockMs;
    private final Scan scan;
    private final Names names;
    private final int namesPerLook;
    private @Nullable Ranking latest;
    private long latestMs;

    /** Asks the loop for its hottest blocks. */
    @FunctionalInterface
    interface Scan {
        Found hottest(int most) throws TimeoutException, InterruptedException;
    }

    /** Looks up the files of a bounded number of blocks; null where a block is gone. */
    @FunctionalInterface
    interface Names {
        List<@Nullable Named> of(List<Long> blocks);
    }

    /** What the loop found, hottest first, among so many blocks. */
    record Found(int trackedBlocks, List<HotBlock> hottest) {}

    /** A hot block and its file; null when it is gone. */
    record Hot(HotBlock block, @Nullable Named file) {}

    /** The hottest of so many blocks, hottest first. */
    record Ranking(int trackedBlocks, List<Hot> hottest) {}

    /** @param clockMs monotonic milliseconds */
    HottestBlocks(LongSupplier clockMs, Scan scan, Names names, int namesPerLook) {
        this.clockMs = clockMs;
        this.scan = scan;
        this.names = names;
        this.namesPerLook = namesPerLook;
    }

    synchronized Ranking latest() throws TimeoutException, InterruptedException {
        Ranking ranking = latest;
        if (ranking == null || clockMs.getAsLong() - latestMs >= VALID_MS) {
            Found found = scan.hottest(MOST);
            ranking = new Ranking(found.trackedBlocks(), named(found.hottest()));
            latest = ranking;
            latestMs = clockMs.getAsLong();
        }
        return ranking;
    }

    private List<Hot> named(List<HotBlock> blocks) {
        List<Hot> hottest = new ArrayList<>(blocks.size());
        for (int from = 0; from < blocks.size(); from += namesPerLook) {
            List<HotBlock> some = blocks.subList(from, Math.min(blocks.size(), from + namesPerLook));
            List<@Nullable Named> files =
                    names.of(some.stream().map(hot -> hot.block().id()).toList());
            for (int i = 0; i < some.size(); i++) {
                hottest.add(new Hot(some.get(i), files.get(i)));
            }
        }
        return List.copyOf(hottest);
    }
}
