package io.terrace.channel.tcp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What clients are told of the blocks that a DataNode announces: everything when they come, changes after that. Used
 * under the lock of its owner.
 */
final class ResidencyNews {
    private final AnnouncedBlocks blocks;
    private long[] told = new long[0];

    ResidencyNews(AnnouncedBlocks blocks) {
        this.blocks = blocks;
    }

    /** The frames that tell a new client what the others know. */
    List<ByteBuffer> everything() {
        List<ByteBuffer> frames = frames(true, new long[0], told);
        return frames.isEmpty()
                ? List.of(ResidentBlocks.frame(true, blocks.fingerprintKey(), new long[0], new long[0]))
                : frames;
    }

    /** The frames that tell what changed since they were asked for last; none when nothing did. */
    List<ByteBuffer> changes() {
        long[] now = blocks.sortedFingerprints();
        if (Arrays.equals(now, told)) {
            return List.of();
        }
        List<ByteBuffer> frames = frames(false, without(told, now), without(now, told));
        told = now;
        return frames;
    }

    private List<ByteBuffer> frames(boolean everything, long[] go, long[] come) {
        List<ByteBuffer> frames = new ArrayList<>();
        boolean first = everything;
        int gone = 0;
        int came = 0;
        while (gone < go.length || came < come.length) {
            int goes = Math.min(go.length - gone, ResidentBlocks.MAX_IN_FRAME);
            int comes = Math.min(come.length - came, ResidentBlocks.MAX_IN_FRAME - goes);
            frames.add(ResidentBlocks.frame(
                    first,
                    blocks.fingerprintKey(),
                    Arrays.copyOfRange(go, gone, gone + goes),
                    Arrays.copyOfRange(come, came, came + comes)));
            gone += goes;
            came += comes;
            first = false;
        }
        return frames;
    }

    private static long[] without(long[] sorted, long[] others) {
        return Arrays.stream(sorted)
                .filter(value -> Arrays.binarySearch(others, value) < 0)
                .toArray();
    }
}
