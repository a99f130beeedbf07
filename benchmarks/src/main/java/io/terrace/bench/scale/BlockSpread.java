package io.terrace.bench.scale;

import io.terrace.protocol.StampedBlock;

/**
 * Which DataNodes hold which blocks, three each, computed from their numbers so that a hundred million take no memory. Blocks are
 * in rows of one for each DataNode; in each row every DataNode holds three.
 */
record BlockSpread(int dataNodes, long blocks) {

    static final int REPLICAS = 3;
    static final long BLOCK_BYTES = 128L << 20;

    /** Of every block; HDFS begins above it. */
    static final long STAMP = 1_000;

    private static final long FIRST_ID = 1L << 30;

    BlockSpread {
        if (dataNodes < 2 * REPLICAS || blocks < dataNodes || blocks % dataNodes != 0) {
            throw new IllegalArgumentException(blocks + " blocks are no multiple of " + dataNodes
                    + " DataNodes, of which " + 2 * REPLICAS + " are the least");
        }
    }

    int rows() {
        return Math.toIntExact(blocks / dataNodes);
    }

    /** The number of a block of a row that a DataNode holds as its first, second or third replica. */
    long held(int dataNode, int row, int replica) {
        return (long) row * dataNodes + Math.floorMod(dataNode - (long) replica * step(row), (long) dataNodes);
    }

    /** The DataNode that holds such a replica of a block. */
    int holder(long block, int replica) {
        return (int) ((block % dataNodes + (long) replica * step((int) (block / dataNodes))) % dataNodes);
    }

    /** From one holder to the next, below a third of the DataNodes, so that the three differ. */
    private int step(int row) {
        return 1 + (int) (row * 7919L % (dataNodes / REPLICAS - 1));
    }

    static StampedBlock stamped(long block) {
        return new StampedBlock(FIRST_ID + block, STAMP, BLOCK_BYTES);
    }

    /** The number of the block with that id; -1 where there is none. */
    long number(long id) {
        long block = id - FIRST_ID;
        return block >= 0 && block < blocks ? block : -1;
    }
}
