package io.terrace.placementctl.check;

import io.terrace.client.ClientMetrics;
import io.terrace.common.ShownName;
import io.terrace.placementctl.check.CheckedBlock.Served;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * A file, read as any client of this host reads it.
 *
 * @param obstacle why nothing is read from memory on this host; null when it may be
 */
public record FileCheck(long lengthBytes, int blockCount, List<CheckedBlock> blocks, @Nullable Cause obstacle) {

    /** What is read of each block. */
    private static final int PIECE = 1 << 20;

    private static final int LONGEST_ARGUMENT = 60;

    /**
     * Reads the first blocks of a file, of each the first {@value #PIECE} bytes.
     *
     * @param inMemory by block id, the DataNode that has it in memory by what the service says; of the others it may not know
     * @throws IOException what HDFS says
     */
    public static FileCheck of(URI cluster, Configuration conf, String path, int most, Map<Long, String> inMemory)
            throws IOException {
        Map<String, Long> before = ClientMetrics.snapshot();
        try (FileSystem fs = FileSystem.newInstance(cluster, conf)) {
            Cause obstacle = HostSetup.obstacle(conf, fs, new ReadCounts(before, ClientMetrics.snapshot()));
            long lengthBytes = fs.getFileStatus(new Path(path)).getLen();
            List<CheckedBlock> checked = new ArrayList<>();
            try (var opened = fs.open(new Path(path))) {
                if (!(opened instanceof HdfsDataInputStream in)) {
                    throw new IOException(path + " is not in HDFS: " + fs.getUri());
                }
                List<LocatedBlock> blocks = in.getAllBlocks();
                for (LocatedBlock block : blocks.subList(0, Math.min(most, blocks.size()))) {
                    boolean elsewhere = HostSetup.readsOtherHosts(conf, fs);
                    checked.add(read(in, block, obstacle, elsewhere, path, inMemory));
                }
                return new FileCheck(lengthBytes, blocks.size(), checked, obstacle);
            }
        }
    }

    private static CheckedBlock read(
            HdfsDataInputStream in,
            LocatedBlock block,
            @Nullable Cause obstacle,
            boolean elsewhere,
            String path,
            Map<Long, String> inMemory)
            throws IOException {
        long id = block.getBlock().getBlockId();
        int bytes = (int) Math.min(PIECE, block.getBlockSize());
        Map<String, Long> before = ClientMetrics.snapshot();
        in.seek(block.getStartOffset());
        in.readFully(new byte[bytes]);
        DatanodeInfo from = in.getCurrentDatanode();
        ReadCounts counts = new ReadCounts(before, ClientMetrics.snapshot());
        Served served = counts.served(bytes);
        if (served != Served.STOCK) {
            return new CheckedBlock(id, block.getBlockSize(), served, null, null);
        }
        String dataNode = from == null ? null : from.getHostName() + ":" + from.getXferPort();
        Cause cause = obstacle != null ? obstacle : cause(counts, elsewhere, path, inMemory.get(id));
        return new CheckedBlock(id, block.getBlockSize(), served, dataNode, cause);
    }

    static Cause cause(ReadCounts counts, boolean elsewhere, String path, @Nullable String holder) {
        Cause counted = counts.cause();
        if (counted != null) {
            return counted;
        }
        if (counts.isWithoutDataNode() && !elsewhere) {
            return new Cause(
                    "no DataNode of this host answers in terrace.channel.dir",
                    "start it with the same terrace.channel.dir; on a host without a DataNode, read over tcp: set"
                            + " fs.hdfs.impl to io.terrace.fs.TerraceFileSystem and terrace.channel.tcp.port.offset");
        }
        if (holder == null) {
            return new Cause(
                    "no DataNode is known to have the block in memory",
                    "placementctl promote " + ShownName.argument(path, LONGEST_ARGUMENT)
                            + " --wait, then check again; placementctl explain says why");
        }
        return elsewhere
                ? new Cause(
                        holder + " has the block in memory, and this client has not heard of it yet",
                        "check again in a second; if that does not help, see the tcp channel of " + holder)
                : new Cause(
                        holder + " has the block in memory, and this host reads no other host's memory",
                        "set fs.hdfs.impl to io.terrace.fs.TerraceFileSystem and"
                                + " terrace.channel.tcp.port.offset as the DataNodes have it");
    }

    /** Blocks that memory or NVM served. */
    public int fromMemory() {
        return (int)
                blocks.stream().filter(block -> block.served() != Served.STOCK).count();
    }
}
