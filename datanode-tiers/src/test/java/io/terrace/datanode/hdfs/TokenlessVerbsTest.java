package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.server.OneSidedRanges;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** RDMA steps aside when a NameNode asks for block tokens that the DataNode's configuration does not name. */
class TokenlessVerbsTest {

    private static final class Recording implements OneSidedRanges {
        final List<String> heard = new ArrayList<>();

        @Override
        public String where() {
            return "10.0.0.1:9967";
        }

        @Override
        public void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums) {
            heard.add("granted");
        }

        @Override
        public void retired(RegionKey key) {
            heard.add("retired");
        }

        @Override
        public long ended(RegionKey key) {
            heard.add("ended");
            return 5;
        }
    }

    @Test
    void grant_onceTokensAreNeeded_isNotRegistered_andCounted() {
        AtomicBoolean tokens = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        Recording rdma = new Recording();
        OneSidedRanges ranges = new TokenlessVerbs(rdma, tokens::get, refused::incrementAndGet);
        RegionKey key = new RegionKey(1, 2, 0, 10, Access.READ);
        Grant grant = new Grant(
                1, new ExtentDescriptor(new BlockKey("BP", 1, 1), StorageTier.MEMORY, 0, 10, 0, 0), "link", 60_000);
        ranges.granted(grant, key, Path.of("file"), ChunkChecksums.NONE);
        assertThat(ranges.where()).isEqualTo(rdma.where());
        assertThat(rdma.heard).containsExactly("granted");

        tokens.set(true);
        ranges.granted(grant, key, Path.of("file"), ChunkChecksums.NONE);
        assertThat(ranges.where()).isEmpty();
        assertThat(rdma.heard).containsExactly("granted");
        assertThat(refused).hasValue(1);

        ranges.retired(key);
        assertThat(ranges.ended(key)).isEqualTo(5);
        assertThat(rdma.heard).containsExactly("granted", "retired", "ended");
    }
}
