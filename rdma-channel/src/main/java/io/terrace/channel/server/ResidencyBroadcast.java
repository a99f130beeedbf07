package io.terrace.channel.server;

import io.terrace.channel.ResidentBlocks;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.server.TcpResponse;
import io.terrace.channel.transport.TransferStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the frames that tell clients which blocks a DataNode announces: everything when they connect, changes after
 * that. Each frame is made once for all clients, so that clients which take none cost no more memory than the frames
 * themselves. Guarded by its owner's lock.
 */
final class ResidencyBroadcast {
    private final AnnouncedBlocks blocks;
    private long[] announced = new long[0];
    private @Nullable List<byte[]> everything;

    ResidencyBroadcast(AnnouncedBlocks blocks) {
        this.blocks = blocks;
    }

    /** The frames that tell a new client what the others know. */
    List<byte[]> everything() {
        List<byte[]> frames = everything;
        if (frames == null) {
            frames = announced.length == 0
                    ? List.of(frame(true, announced, announced))
                    : frames(true, new long[0], announced);
            everything = frames;
        }
        return frames;
    }

    /** Bytes of all fingerprints that there are to tell. */
    long everythingBytes() {
        return (long) announced.length * Long.BYTES;
    }

    /** The frames that tell what changed since they were asked for last; none when nothing did. */
    List<byte[]> changes() {
        long[] now = blocks.sortedFingerprints();
        if (Arrays.equals(now, announced)) {
            return List.of();
        }
        List<byte[]> frames = frames(false, without(announced, now), without(now, announced));
        announced = now;
        everything = null;
        return frames;
    }

    private List<byte[]> frames(boolean fromNothing, long[] go, long[] come) {
        List<byte[]> frames = new ArrayList<>();
        boolean first = fromNothing;
        int gone = 0;
        int came = 0;
        while (gone < go.length || came < come.length) {
            int goes = Math.min(go.length - gone, ResidentBlocks.MAX_IN_FRAME);
            int comes = Math.min(come.length - came, ResidentBlocks.MAX_IN_FRAME - goes);
            frames.add(frame(
                    first, Arrays.copyOfRange(go, gone, gone + goes), Arrays.copyOfRange(come, came, came + comes)));
            gone += goes;
            came += comes;
            first = false;
        }
        return frames;
    }

    private byte[] frame(boolean fromNothing, long[] go, long[] come) {
        ByteBuffer body = ResidentBlocks.frame(fromNothing, blocks.fingerprintKey(), go, come);
        return TcpResponse.Ready.frame(TcpFrame.RESIDENT, TransferStatus.DONE, 0, body.remaining())
                .put(body)
                .array();
    }

    private static long[] without(long[] sorted, long[] others) {
        return Arrays.stream(sorted)
                .filter(value -> Arrays.binarySearch(others, value) < 0)
                .toArray();
    }
}
