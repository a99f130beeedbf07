package io.terrace.datanode.hdfs;

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.util.DataChecksum;

/**
 * What DataNode.requestShortCircuitFdsForRead passes to a stock short-circuit client, and what that reads with it: it keeps
 * both files open, and verifies by the checksums when it reads.
 */
record Passed(FileInputStream data, FileInputStream meta) implements AutoCloseable {

    /** Opened as by DataXceiver, on a thread with the name that it gives itself, for a client with a slot in shared memory. */
    static Passed of(DataNode datanode, ExtendedBlock block) {
        return of(datanode, block, true);
    }

    /** For a client that nobody can tell when the block changes. */
    static Passed withoutSlot(DataNode datanode, ExtendedBlock block) {
        return of(datanode, block, false);
    }

    private static Passed of(DataNode datanode, ExtendedBlock block, boolean slot) {
        CompletableFuture<Passed> passed = new CompletableFuture<>();
        Runnable open = () -> {
            try {
                if (slot) {
                    datanode.getFSDataset().isCached(block.getBlockPoolId(), block.getBlockId());
                }
                FileInputStream data = (FileInputStream) datanode.getFSDataset().getBlockInputStream(block, 0);
                passed.complete(new Passed(data, DatanodeUtil.getMetaDataInputStream(block, datanode.getFSDataset())));
            } catch (IOException | RuntimeException e) {
                passed.completeExceptionally(e);
            }
        };
        new Thread(open, "DataXceiver for client test [Passing file descriptors for block " + block + "]").start();
        return passed.join();
    }

    /** Every byte of the block file, once it was verified. */
    byte[] verified() throws IOException {
        byte[] bytes = data.readAllBytes();
        DataInputStream in = new DataInputStream(Channels.newInputStream(meta.getChannel()));
        DataChecksum checksum = BlockMetadataHeader.readHeader(in).getChecksum();
        byte[] sums = in.readAllBytes();
        checksum.verifyChunkedSums(ByteBuffer.wrap(bytes), ByteBuffer.wrap(sums), "block", 0);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        data.close();
        meta.close();
    }
}
