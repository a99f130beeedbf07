package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.Replica;

/** A file with its first block of three replicas, which a test writes frame by frame. */
final class PipelineBlock implements AutoCloseable {
    static final int[] ALL = {0, 1, 2};
    static final int BYTES = 700_001;

    private static final Pattern RESERVED = Pattern.compile("reservedSpaceForReplicas\\W+(\\d+)");

    private final TerraceCluster cluster;
    final RawWriter.OpenFile file;
    final byte[] contents;
    LocatedBlock located;
    RawWriter writer;

    /** What the client of a recovery says that the block may get. */
    long saidBytes = TerraceCluster.BLOCK_BYTES;

    /** Three DataNodes with the channel, which check block tokens. */
    static TerraceCluster cluster() throws IOException {
        return cluster(TerraceCluster.configuration());
    }

    /** The same with further properties. */
    static TerraceCluster cluster(Configuration conf) throws IOException {
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt(RemoteReadsCluster.OFFSET, RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        // One volume each, on which all replicas have their space reserved.
        return TerraceCluster.start(3, conf, StorageType.DISK);
    }

    PipelineBlock(TerraceCluster cluster, String path) throws IOException {
        this.cluster = cluster;
        file = RawWriter.OpenFile.create(cluster, path, 3);
        contents = TerraceCluster.contents(path, BYTES);
        located = file.nextBlock(null);
        assertThat(located.getLocations()).hasSize(3);
        writer = RawWriter.to(node(0));
    }

    DatanodeInfo node(int index) {
        return located.getLocations()[index];
    }

    int indexInCluster(int index) {
        List<DataNode> all = cluster.cluster().getDataNodes();
        return IntStream.range(0, all.size())
                .filter(i -> all.get(i).getDatanodeUuid().equals(node(index).getDatanodeUuid()))
                .findFirst()
                .orElseThrow();
    }

    PipelineBlock open() throws IOException {
        assertSuccess(writer.open(RawWriter.request(file, located, ALL)));
        return this;
    }

    Replica replica(int index) {
        ExtendedBlock block = located.getBlock();
        DataNode datanode = cluster.datanode(indexInCluster(index));
        return datanode.getFSDataset().getReplica(block.getBlockPoolId(), block.getBlockId());
    }

    /** On the volumes of a DataNode, for replicas that are being written. */
    long reservedBytes(int index) {
        String volumes = cluster.datanode(indexInCluster(index)).getVolumeInfo();
        long[] reserved = RESERVED.matcher(volumes)
                .results()
                .mapToLong(volume -> Long.parseLong(volume.group(1)))
                .toArray();
        assertThat(reserved).as(volumes).isNotEmpty();
        return LongStream.of(reserved).sum();
    }

    void kill(int index) {
        int at = indexInCluster(index);
        cluster.stopPlugin(at);
        cluster.cluster().stopDataNode(at);
    }

    /** A pipeline of some of the DataNodes, with a new stamp, as stock's streamer sets it up. */
    void recover(BlockConstructionStage stage, int acked, int sent, int... nodes) throws IOException {
        recover(stage, (byte) 0, acked, sent, nodes);
    }

    /** @param flags of the OPEN frame */
    void recover(BlockConstructionStage stage, byte flags, int acked, int sent, int... nodes) throws IOException {
        writer.close();
        ExtendedBlock old = new ExtendedBlock(located.getBlock());
        LocatedBlock fresh = file.nameNode().updateBlockForPipeline(old, file.client());
        long stamp = fresh.getBlock().getGenerationStamp();
        OpWriteBlockProto.Builder request = RawWriter.request(file, located, nodes)
                .setStage(stage)
                .setLatestGenerationStamp(stamp)
                .setMinBytesRcvd(acked)
                .setMaxBytesRcvd(sent);
        request.getHeaderBuilder().getBaseHeaderBuilder().setToken(PBHelperClient.convert(fresh.getBlockToken()));
        request.getHeaderBuilder().getBaseHeaderBuilder().getBlockBuilder().setNumBytes(saidBytes);
        writer = RawWriter.to(node(nodes[0]));
        assertSuccess(writer.open(request, flags));
        ExtendedBlock renewed = new ExtendedBlock(old.getBlockPoolId(), old.getBlockId(), acked, stamp);
        file.nameNode()
                .updatePipeline(
                        file.client(),
                        old,
                        renewed,
                        IntStream.of(nodes).mapToObj(this::node).toArray(DatanodeInfo[]::new),
                        IntStream.of(nodes)
                                .mapToObj(i -> located.getStorageIDs()[i])
                                .toArray(String[]::new));
        located.getBlock().setGenerationStamp(stamp);
    }

    void complete() throws Exception {
        located.getBlock().setNumBytes(BYTES);
        file.complete(located.getBlock());
        assertThat(cluster.read(new Path(file.path()))).isEqualTo(contents);
    }

    void assertSameOn(int... nodes) throws IOException {
        for (int index : nodes) {
            try (InputStream in =
                    cluster.datanode(indexInCluster(index)).getFSDataset().getBlockInputStream(located.getBlock(), 0)) {
                assertThat(in.readAllBytes()).isEqualTo(contents);
            }
        }
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }

    private static void assertSuccess(BlockOpResponseProto answer) {
        assertThat(answer.getStatus()).as(answer.toString()).isEqualTo(Status.SUCCESS);
    }
}
