package io.terrace.datanode.write;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A block on its way through a chain of DataNodes, on one thread. A seed says which thread of which DataNode does its next
 * step. What threads share is behind locks that are held for one call each, so steps of one call meet every order that
 * threads do.
 */
final class ForwardChain {
    private static final int MOST_STEPS = 100_000;

    private final ChainBug bug;
    private final List<ChainNode> nodes = new ArrayList<>();
    private final int count;

    /** Of the client's frames by their numbers, from 1: which are to be synced. */
    private final List<Boolean> synced = new ArrayList<>();

    private long ackedNumber;
    private boolean done;

    /** @param links for each DataNode a connection: both its ends */
    ForwardChain(int count, List<SocketChannel[]> links, ChainBug bug) throws IOException {
        this.bug = bug;
        this.count = count;
        for (int i = count - 1; i >= 0; i--) {
            nodes.add(0, new ChainNode(this, i, i == count - 1 ? null : nodes.get(0), links.get(i)));
        }
    }

    ChainBug bug() {
        return bug;
    }

    int last() {
        return count - 1;
    }

    static int sum(long endOffset) {
        return Long.hashCode(endOffset * 31 + 7);
    }

    /** Sends a drawn number of frames, and runs until the client knows that all have finalised the block. */
    void run(Random random) throws IOException {
        int frames = 1 + random.nextInt(12);
        long bytes = 0;
        int steps = 0;
        int still = 0;
        // In a row; so many turns without a step are no chance.
        while (!done && still < 1_000) {
            assertTrue(++steps < MOST_STEPS, "no end");
            int who = random.nextInt(2 * count + 1);
            boolean stepped;
            if (who == 2 * count) {
                stepped = synced.size() < frames || !nodes.get(0).answered.isEmpty();
                if (synced.size() < frames && random.nextBoolean()) {
                    bytes = send(bytes, synced.size() + 1 == frames, random);
                }
                hear();
            } else {
                ChainNode node = nodes.get(who / 2);
                stepped = who % 2 == 0 ? node.write(random) : node.forward(random);
            }
            still = stepped ? 0 : still + 1;
        }
        assertTrue(done, "the client never hears that all have finalised the block");
    }

    private long send(long bytes, boolean last, Random random) {
        boolean empty = bytes > 0 && random.nextInt(5) == 0;
        boolean sync = random.nextInt(3) == 0;
        synced.add(sync);
        long from = empty ? bytes : bytes - bytes % ChainNode.CHUNK_BYTES;
        long end = empty ? bytes : bytes + 1 + random.nextInt(3 * ChainNode.CHUNK_BYTES);
        int flags = (sync ? WriteFrame.SYNC : 0) | (last ? WriteFrame.LAST : 0);
        nodes.get(0).arrives(new ForwardQueue.Part(synced.size(), from, end, flags, sum(end)));
        return end;
    }

    /** What the client is told must be so at all DataNodes at this time. */
    private void hear() {
        ChainNode.Answer answer = nodes.get(0).answered.poll();
        if (answer == null) {
            return;
        }
        long number = answer.ack().replicatedNumber();
        assertTrue(number >= ackedNumber, "less is acknowledged than before");
        ackedNumber = number;
        assertTrue(answer.header().number() <= nodes.get(0).writtenNumber, "acknowledged before it was written");
        assertTrue(
                !answer.header().has(WriteFrame.FINALIZED) || nodes.get(0).finalised,
                "the next block may begin before this one is finalised");
        done = answer.header().has(WriteFrame.ALL_FINALIZED);
        long lastSync = synced.subList(0, (int) number).lastIndexOf(true) + 1L;
        for (ChainNode node : nodes) {
            assertTrue(node.writtenNumber >= number, "acknowledged before all have it");
            assertTrue(node.writtenBytes >= answer.ack().replicatedBytes(), "acknowledged before all have it");
            assertTrue(node.syncedNumber >= lastSync, "acknowledged before it is on all disks");
            assertTrue(!done || node.finalised, "ended before all have finalised the block");
        }
    }

    /** Readers of a growing file see what a DataNode and all after it have. */
    void checkVisible(int from, long bytes) {
        for (ChainNode node : nodes.subList(from, count)) {
            assertTrue(node.writtenBytes >= bytes, "visible before all have it");
        }
    }
}
