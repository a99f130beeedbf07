package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockId;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that are being moved between volumes: one move for each block, whoever makes it. A move of stock's (Mover,
 * Satisfier, DiskBalancer) goes before one of ours: it vetoes ours, waits for its end and begins then. Thread-safe.
 */
public final class MovesInProgress {

    /** How long a move of stock's waits for one of ours that was told to end. */
    private static final long YIELD_MS = 30_000;

    /** What the thread of a move of ours does once stock has chosen the volume. */
    @FunctionalInterface
    interface Steps {
        ReplicaInfo to(ReplicaInfo replica, FsVolumeReference target, boolean link) throws IOException;
    }

    /** A move under way; closed when it is over. */
    public final class Move implements Closeable {

        private final BlockId block;
        private final boolean ours;
        private final Thread mover = Thread.currentThread();
        private final CountDownLatch over = new CountDownLatch(1);
        private volatile @Nullable String veto;
        /** Of the mover's thread alone; null for a move of stock's. */
        private @Nullable Steps steps;

        private Move(BlockId block, boolean ours) {
            this.block = block;
            this.ours = ours;
        }

        /** Why this move must not publish what it made; null while nothing speaks against it. */
        @Nullable
        String veto() {
            return veto;
        }

        /** What its thread does once stock has chosen the volume. */
        void steps(Steps newSteps) {
            steps = newSteps;
        }

        @Override
        public void close() {
            moves.remove(block, this);
            over.countDown();
        }
    }

    private final ConcurrentMap<BlockId, Move> moves = new ConcurrentHashMap<>();

    /** Begins a move of ours; null if the block is being moved already. */
    @Nullable
    public Move begin(String pool, long blockId) {
        Move move = new Move(new BlockId(pool, blockId), true);
        return moves.putIfAbsent(move.block, move) == null ? move : null;
    }

    /**
     * Begins a move of stock's, after it made one of ours end.
     *
     * @throws IOException if another one of stock's is under way, or ours does not end in time
     */
    public Move beginStock(String pool, long blockId) throws IOException {
        Move move = new Move(new BlockId(pool, blockId), false);
        Move other;
        while ((other = moves.putIfAbsent(move.block, move)) != null) {
            if (!other.ours) {
                throw new IOException("block " + blockId + " is being moved between volumes already; try again later");
            }
            other.veto = "stock moves the replica";
            try {
                if (!other.over.await(YIELD_MS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("block " + blockId + " is being moved between volumes and this does not end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while another move of block " + blockId + " ends", e);
            }
        }
        return move;
    }

    /** Whether the block is being moved: two whole copies of it may be on disk. */
    public boolean isMoving(String pool, long blockId) {
        return !moves.isEmpty() && moves.containsKey(new BlockId(pool, blockId));
    }

    /** What the calling thread has to do if it makes a move of ours of this block; null otherwise. */
    @Nullable
    Steps mine(String pool, long blockId) {
        Move move = moves.isEmpty() ? null : moves.get(new BlockId(pool, blockId));
        return move != null && move.mover == Thread.currentThread() ? move.steps : null;
    }

    /** Something happens to the replica: a move of ours that has not published gives up. */
    public void veto(String pool, long blockId, String reason) {
        Move move = moves.isEmpty() ? null : moves.get(new BlockId(pool, blockId));
        if (move != null && move.ours) {
            move.veto = reason;
        }
    }
}
