package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceAbstractFileSystem;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What schedulers are told of blocks that the placement service put into memory, without any cache directive. */
@Tag("cluster")
class CachedHostsTest {

    @Test
    void locations_ofPromotedBlock_nameItsHostAsCached() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key(), RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        try (FakePlacement service = new FakePlacement()) {
            conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), service.address());
            try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
                Path file = cluster.write("scheduled", 2 * TerraceCluster.BLOCK_BYTES, 1);
                BlockKey second = cluster.key(file, 1);
                long order = service.order(OrderKindProto.PROMOTE, second, TerraceCluster.BLOCK_BYTES);
                ResultProto result = Awaitility.await()
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> service.result(order), java.util.Optional::isPresent)
                        .orElseThrow();
                assertThat(result.getOutcome()).isEqualTo(OutcomeProto.DONE);

                Configuration ours = new Configuration(cluster.fs().getConf());
                ours.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
                ours.set(TerraceSettings.CLIENT_TCP_CONNECT_TIMEOUT.key(), "5s");
                try (FileSystem fs = FileSystem.newInstance(cluster.cluster().getURI(), ours)) {
                    // It hears of a block that has just come within a moment.
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(10))
                            .until(() ->
                                    fs.getFileBlockLocations(file, 0, Long.MAX_VALUE)[1].getCachedHosts().length > 0);
                    BlockLocation[] locations = fs.getFileBlockLocations(file, 0, Long.MAX_VALUE);
                    assertThat(locations[0].getCachedHosts()).isEmpty();
                    assertThat(locations[1].getCachedHosts()).isEqualTo(locations[1].getHosts());
                    assertThat(listed(fs, file)[1].getCachedHosts()).isEqualTo(locations[1].getHosts());
                }
                ours.set("fs.AbstractFileSystem.hdfs.impl", TerraceAbstractFileSystem.class.getName());
                FileContext context =
                        FileContext.getFileContext(cluster.cluster().getURI(), ours);
                BlockLocation[] located = context.getFileBlockLocations(file, 0, Long.MAX_VALUE);
                assertThat(located[0].getCachedHosts()).isEmpty();
                assertThat(located[1].getCachedHosts()).isEqualTo(located[1].getHosts());
                assertThat(context.listLocatedStatus(file)
                                .next()
                                .getBlockLocations()[1]
                                .getCachedHosts())
                        .isEqualTo(located[1].getHosts());
                assertThat(listed(cluster.fs(), file)[1].getCachedHosts()).isEmpty();
            }
        }
    }

    private static BlockLocation[] listed(FileSystem fs, Path file) throws IOException {
        RemoteIterator<LocatedFileStatus> listing = fs.listLocatedStatus(file);
        assertThat(listing.hasNext()).isTrue();
        return listing.next().getBlockLocations();
    }
}
