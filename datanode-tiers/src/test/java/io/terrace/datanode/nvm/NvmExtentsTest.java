package io.terrace.datanode.nvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.server.Principal;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which replicas on NVM become extents, and when they stop being so. */
class NvmExtentsTest {

    private static final Principal USER = Principal.onAnotherHost("user");

    private static final int EXTENTS_MAX = 2;

    @TempDir
    Path volume;

    private NvmFixture bed;

    @BeforeEach
    void make() throws IOException {
        bed = new NvmFixture(volume, EXTENTS_MAX, Runnable::run);
    }

    private BlockKey admitted(long blockId) throws IOException {
        BlockKey key = bed.replica(blockId);
        bed.read(key);
        assertThat(bed.tier.isResident(key)).isTrue();
        return key;
    }

    private GrantRecord grant(BlockKey key) {
        return Objects.requireNonNull(
                bed.tier.grants().grant(5, USER, key, NvmFixture.NEVER, bed.nowNs).grant());
    }

    @Test
    void read_ofASoundReplica_makesItAnExtent_thatIsAnnounced_andTakesNoMemory() throws IOException {
        BlockKey key = admitted(1);
        assertThat(bed.announced).containsExactly(key);
        assertThat(bed.isLinked(key)).isTrue();
        assertThat(bed.memory.usage().usedBytes()).isZero();
        assertThat(bed.memory.liveExtents()).isEmpty();
        assertThat(bed.metricRegistry.value(Metric.NVM_VERIFIED_BYTES)).isEqualTo(NvmFixture.BYTES);
    }

    @Test
    void read_ofABlockThatIsNotOnNvm_doesNothing() throws IOException {
        bed.extents.read(NvmFixture.POOL, 99);
        assertThat(bed.tier.usage().extents()).isZero();
        assertThat(volume.resolve("terrace")).doesNotExist();
    }

    @Test
    void corruptReplica_isNotGranted_andReportedOnce() throws IOException {
        BlockKey key = bed.replica(1);
        try (FileChannel bytes = FileChannel.open(bed.file(key), StandardOpenOption.WRITE)) {
            bytes.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), NvmFixture.BYTES - 3);
        }
        bed.read(key);
        bed.read(key);
        assertThat(bed.announced).isEmpty();
        assertThat(bed.reportedCorrupt).containsExactly(key);
        assertThat(bed.isLinked(key)).isFalse();
        bed.nowNs += NvmExtents.UNFIT_NS;
        bed.read(key);
        assertThat(bed.reportedCorrupt).hasSize(2);
    }

    @Test
    void replicaWithoutChecksums_isNotGranted_andNotReported() throws IOException {
        BlockKey key = bed.replica(1);
        // A file written with dfs.checksum.type=NULL: version 1, type 0, 512 bytes a checksum.
        Files.write(NvmFixture.meta(bed.file(key)), new byte[] {0, 1, 0, 0, 0, 2, 0});
        bed.read(key);
        assertThat(bed.announced).isEmpty();
        assertThat(bed.reportedCorrupt).isEmpty();
        assertThat(bed.isLinked(key)).isFalse();
    }

    @Test
    void replicaThatIsLongerThanItsBlock_isNotGranted() throws IOException {
        BlockKey key = bed.replica(1);
        Files.write(bed.file(key), new byte[] {9}, StandardOpenOption.APPEND);
        bed.read(key);
        assertThat(bed.announced).isEmpty();
        assertThat(bed.reportedCorrupt).containsExactly(key);
    }

    @Test
    void changeWhileVerifying_isNotPublished_andLeavesNoLink() throws IOException {
        BlockKey key = bed.replica(1);
        bed.whileVerifying = () -> bed.extents.changed(key.pool(), key.blockId());
        bed.read(key);
        assertThat(bed.announced).isEmpty();
        assertThat(bed.isLinked(key)).isFalse();
        bed.whileVerifying = () -> {};
        bed.read(key);
        assertThat(bed.announced).containsExactly(key);
    }

    @Test
    void memoryCopyThatCameWhileVerifying_goesFirst() throws IOException {
        BlockKey key = bed.replica(1);
        bed.whileVerifying = () -> {
            Extent copy = Objects.requireNonNull(
                    bed.memory.begin(key, NvmFixture.BYTES, false, bed.nowNs).extent());
            bed.memory.publish(copy, bed.nowNs);
        };
        bed.read(key);
        assertThat(bed.tier.isResident(key)).isFalse();
        assertThat(bed.isLinked(key)).isFalse();
    }

    @Test
    void superseded_isRetired_andItsLinkGoesWithTheNextTurn() throws IOException {
        BlockKey key = admitted(1);
        bed.extents.superseded(key);
        assertThat(bed.announced).isEmpty();
        bed.extents.turn(bed.nowNs, grant -> {});
        assertThat(bed.isLinked(key)).isFalse();
    }

    @Test
    void changed_withoutAGrant_removesTheLinkAtOnce() throws IOException {
        BlockKey key = admitted(1);
        bed.extents.changed(key.pool(), key.blockId());
        assertThat(bed.announced).isEmpty();
        assertThat(bed.isLinked(key)).isFalse();
    }

    @Test
    void changed_whereADeviceMayHaveToLetGo_leavesTheLinkToTheNextTurn() throws IOException {
        bed.extents.removeInTurns();
        BlockKey key = admitted(1);
        bed.extents.changed(key.pool(), key.blockId());
        assertThat(bed.announced).isEmpty();
        assertThat(bed.isLinked(key)).isTrue();
        bed.extents.turn(bed.nowNs, grant -> {});
        assertThat(bed.isLinked(key)).isFalse();
    }

    @Test
    void deleted_underAGrant_keepsItsBytesUntilTheGrantEnds() throws IOException {
        BlockKey key = admitted(1);
        byte[] bytes = Files.readAllBytes(bed.file(key));
        GrantRecord grant = grant(key);
        Path leased = Path.of(bed.links.oneTimeLink(grant.extent()));
        bed.delete(key);
        List<GrantRecord> revoked = new ArrayList<>();
        bed.extents.turn(bed.nowNs, revoked::add);
        assertThat(revoked).containsExactly(grant);
        assertThat(Files.readAllBytes(leased)).isEqualTo(bytes);
        assertThat(bed.tier.usage().extents()).isEqualTo(1);
        bed.tier.grants().released(5, grant.id(), bed.nowNs);
        bed.extents.turn(bed.nowNs, held -> {});
        assertThat(bed.tier.usage().extents()).isZero();
        // Whoever opened it has it; for everybody else it is gone.
        assertThat(Files.readAllBytes(leased)).isEqualTo(bytes);
        assertThat(volume.resolve("terrace/extents")).isEmptyDirectory();
    }

    @Test
    void full_longestUnreadMakesWay_butNotBeforeItsTime() throws IOException {
        BlockKey first = admitted(1);
        bed.nowNs += 1;
        BlockKey second = admitted(2);
        BlockKey third = bed.replica(3);
        bed.read(third);
        assertThat(bed.announced).containsExactlyInAnyOrder(first, second);
        assertThat(bed.metricRegistry.value(Metric.NVM_NOT_ADMITTED)).isEqualTo(1);
        bed.nowNs += NvmFixture.LEASE_NS;
        bed.read(third);
        assertThat(bed.announced).containsExactlyInAnyOrder(second, third);
        assertThat(bed.isLinked(first)).isFalse();
    }

    @Test
    void full_ofGrantedExtents_takesNoOther() throws IOException {
        GrantRecord first = grant(admitted(1));
        GrantRecord second = grant(admitted(2));
        bed.nowNs += NvmFixture.LEASE_NS;
        BlockKey third = bed.replica(3);
        bed.read(third);
        assertThat(bed.announced)
                .containsExactlyInAnyOrder(first.extent().key(), second.extent().key());
    }

    @Test
    void switchedOff_endsThem_andTakesNoOther() throws IOException {
        BlockKey key = admitted(1);
        bed.memory.serve(NvmFixture.POOL, false, bed.nowNs);
        bed.extents.turn(bed.nowNs, grant -> {});
        assertThat(bed.announced).isEmpty();
        bed.read(key);
        assertThat(bed.announced).isEmpty();
        bed.memory.serve(NvmFixture.POOL, true, bed.nowNs);
        bed.read(key);
        assertThat(bed.announced).containsExactly(key);
    }

    @Test
    void closed_grantsNothingAnyMore() throws IOException {
        BlockKey key = admitted(1);
        bed.extents.close();
        bed.extents.turn(bed.nowNs, grant -> {});
        assertThat(bed.isLinked(key)).as("a deleted block would keep its room").isFalse();
        assertThat(bed.tier.grants().grant(5, USER, key, NvmFixture.NEVER, bed.nowNs).grant())
                .isNull();
        bed.read(key);
        assertThat(bed.announced).isEmpty();
    }

    @Test
    void replicasThatWait_areBounded_andEachWaitsOnce() throws IOException {
        Deque<Runnable> tasks = new ArrayDeque<>();
        Path other = Files.createDirectory(volume.resolve("other"));
        NvmFixture slow = new NvmFixture(other, EXTENTS_MAX, tasks::add);
        BlockKey key = slow.replica(0);
        slow.read(key);
        slow.read(key);
        assertThat(tasks).hasSize(1);
        for (int i = 1; i <= NvmExtents.MOST_WAITING; i++) {
            slow.read(slow.replica(i));
        }
        assertThat(tasks).hasSize(NvmExtents.MOST_WAITING);
        assertThat(slow.metricRegistry.value(Metric.NVM_NOT_ADMITTED)).isEqualTo(1);
        // Gone when its turn comes.
        slow.delete(key);
        tasks.remove().run();
        assertThat(slow.tier.usage().extents()).isZero();
        tasks.remove().run();
        assertThat(slow.announced).hasSize(1);
    }
}
