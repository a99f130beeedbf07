package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A replica on a DataNode's disk. */
final class StoredReplica {
    /** The better one first, as a recovery takes them. */
    enum State {
        FINALIZED,
        RBW,
        /** It was being written when its DataNode crashed. */
        RWR
    }

    final long blockId;
    long stamp;
    State state = State.RBW;

    /** What readers may see: this DataNode and all after it have it. */
    int ackedBytes;

    /** Only while it is being written. */
    @Nullable
    NodeConnection writer;

    private byte[] bytes = new byte[0];

    StoredReplica(long blockId, long stamp) {
        this.blockId = blockId;
        this.stamp = stamp;
    }

    int lengthBytes() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes;
    }

    /** What lies behind it is kept. */
    void write(int offset, byte[] piece) {
        Violation.unless(state != State.FINALIZED, Invariant.FINALISED_STAYS, "%s is written to at %d", this, offset);
        byte[] grown = Arrays.copyOf(bytes, Math.max(bytes.length, offset + piece.length));
        System.arraycopy(piece, 0, grown, offset, piece.length);
        bytes = grown;
    }

    void truncate(int lengthBytes) {
        bytes = Arrays.copyOf(bytes, Math.min(bytes.length, lengthBytes));
    }

    void finalise() {
        state = State.FINALIZED;
        ackedBytes = bytes.length;
        writer = null;
    }

    /** Whether it is what the NameNode takes it for. */
    boolean isWhole(long itsStamp, int lengthBytes) {
        return state == State.FINALIZED && stamp == itsStamp && bytes.length == lengthBytes;
    }

    @Override
    public String toString() {
        return "blk_" + blockId + "_" + stamp + " " + state + " of " + bytes.length + " bytes";
    }
}
