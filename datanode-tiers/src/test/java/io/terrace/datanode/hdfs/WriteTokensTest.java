package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.SecurityTestUtil;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may write a block: whoever has the NameNode's token for it, for writing, and for the storage that it chose. */
@Tag("cluster")
@Timeout(120)
class WriteTokensTest {

    @Test
    void open_takesTheNameNodesToken_andNoOther() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/file");
            LocatedBlock block = file.nextBlock(null);
            RawWriter.OpenFile other = RawWriter.OpenFile.create(cluster, "/other");
            LocatedBlock otherBlock = other.nextBlock(null);
            StorageType disk = block.getStorageTypes()[0];

            refused(cluster, RawWriter.request(file, block, new Token<>(), disk));
            refused(cluster, RawWriter.request(file, block, otherBlock.getBlockToken(), disk));
            refused(cluster, RawWriter.request(file, block, block.getBlockToken(), StorageType.SSD));
            refused(cluster, RawWriter.request(file, block).setStorageId(otherStorage(cluster, block)));
            refused(cluster, RawWriter.request(file, block, token(cluster, block.getBlock(), AccessMode.READ), disk));
            Token<BlockTokenIdentifier> forged = new Token<>(block.getBlockToken());
            forged.getPassword()[0]++;
            refused(cluster, RawWriter.request(file, block, forged, disk));
            Token<BlockTokenIdentifier> cut = new Token<>(
                    new byte[] {1, 2, 3},
                    new byte[20],
                    block.getBlockToken().getKind(),
                    block.getBlockToken().getService());
            refused(cluster, RawWriter.request(file, block, cut, disk));
            // It states a user name of 2 GB, which Hadoop allocates before it looks at the password.
            Token<BlockTokenIdentifier> large = new Token<>(
                    new byte[] {0, 0, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xf0, 1},
                    new byte[20],
                    block.getBlockToken().getKind(),
                    block.getBlockToken().getService());
            refused(cluster, RawWriter.request(file, block, large, disk));

            try (RawWriter writer = RawWriter.local(cluster)) {
                assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
                byte[] contents = TerraceCluster.contents("file", 10_000);
                writer.send(contents, 0, contents.length, WriteFrame.LAST);
                assertThat(writer.ack(true).writtenBytes()).isEqualTo(contents.length);
                block.getBlock().setNumBytes(contents.length);
                file.complete(block.getBlock());
                assertThat(cluster.read(new org.apache.hadoop.fs.Path("/file"))).isEqualTo(contents);
            }
        }
    }

    @Test
    void open_withAnExpiredToken_isRefused() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            SecurityTestUtil.setBlockTokenLifetime(
                    cluster.cluster()
                            .getNameNode()
                            .getNamesystem()
                            .getBlockManager()
                            .getBlockTokenSecretManager(),
                    500);
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/expired");
            LocatedBlock block = file.nextBlock(null);
            while (!SecurityTestUtil.isBlockTokenExpired(block.getBlockToken())) {
                Thread.sleep(20);
            }
            refused(cluster, RawWriter.request(file, block));
        }
    }

    private static String otherStorage(TerraceCluster cluster, LocatedBlock block) throws IOException {
        try (var volumes = cluster.datanode(0).getFSDataset().getFsVolumeReferences()) {
            for (var volume : volumes) {
                if (!volume.getStorageID().equals(block.getStorageIDs()[0])) {
                    return volume.getStorageID();
                }
            }
        }
        throw new AssertionError("one volume only");
    }

    private static Token<BlockTokenIdentifier> token(TerraceCluster cluster, ExtendedBlock block, AccessMode mode)
            throws IOException {
        return cluster.datanode(0)
                .getBlockPoolTokenSecretManager()
                .generateToken(block, EnumSet.of(mode), new StorageType[] {StorageType.DISK}, new String[0]);
    }

    private static void refused(TerraceCluster cluster, OpWriteBlockProto.Builder request) throws IOException {
        try (RawWriter writer = RawWriter.local(cluster)) {
            BlockOpResponseProto answer = writer.open(request);
            assertThat(answer.getStatus()).as(answer.getMessage()).isEqualTo(Status.ERROR_ACCESS_TOKEN);
            assertThat(answer.getFirstBadLink()).isNotEmpty();
            assertThat(writer.hasEnded()).isTrue();
        }
    }
}
