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

    private NvmFixture fixture;

    @BeforeEach
    void make() throws IOException {
        fixture = new NvmFixture(volume, EXTENTS_MAX, Runnable::run);
    }

    private BlockKey admitted(long blockId) throws IOException {
        BlockKey key = fixture.replica(blockId);
        fixture.read(key);
        assertThat(fixture.tier.isResident(key)).isTrue();
        return key;
    }

    private GrantRecord grant(BlockKey key) {
        return Objects.requireNonNull(fixture.tier
                .grants()
                .grant(5, USER, key, NvmFixture.NEVER, fixture.nowNs)
                .grant());
    }

    @Test
    void read_ofASoundReplica_makesItAnExtent_thatIsAnnounced_andTakesNoMemory() throws IOException {
        BlockKey key = admitted(1);
        assertThat(fixture.announced).containsExactly(key);
        assertThat(fixture.isLinked(key)).isTrue();
        assertThat(fixture.memory.usage().usedBytes()).isZero();
        assertThat(fixture.memory.liveExtents()).isEmpty();
        assertThat(fixture.metricRegistry.value(Metric.NVM_VERIFIED_BYTES)).isEqualTo(NvmFixture.BYTES);
    }

    @Test
    void read_ofABlockThatIsNotOnNvm_doesNothing() throws IOException {
        fixture.extents.read(NvmFixture.POOL, 99);
        assertThat(fixture.tier.usage().extents()).isZero();
        assertThat(volume.resolve("terrace")).doesNotExist();
    }

    @Test
    void corruptReplica_isNotGranted_andReportedOnce() throws IOException {
        BlockKey key = fixture.replica(1);
        try (FileChannel bytes = FileChannel.open(fixture.file(key), StandardOpenOption.WRITE)) {
            bytes.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), NvmFixture.BYTES - 3);
        }
        fixture.read(key);
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.reportedCorrupt).containsExactly(key);
        assertThat(fixture.isLinked(key)).isFalse();
        fixture.nowNs += NvmExtents.UNFIT_NS;
        fixture.read(key);
        assertThat(fixture.reportedCorrupt).hasSize(2);
    }

    @Test
    void replicaWithoutChecksums_isNotGranted_andNotReported() throws IOException {
        BlockKey key = fixture.replica(1);
        // A file written with dfs.checksum.type=NULL: version 1, type 0, 512 bytes a checksum.
        Files.write(NvmFixture.meta(fixture.file(key)), new byte[] {0, 1, 0, 0, 0, 2, 0});
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.reportedCorrupt).isEmpty();
        assertThat(fixture.isLinked(key)).isFalse();
    }

    @Test
    void replicaThatIsLongerThanItsBlock_isNotGranted() throws IOException {
        BlockKey key = fixture.replica(1);
        Files.write(fixture.file(key), new byte[] {9}, StandardOpenOption.APPEND);
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.reportedCorrupt).containsExactly(key);
    }

    @Test
    void changeWhileVerifying_isNotPublished_andLeavesNoLink() throws IOException {
        BlockKey key = fixture.replica(1);
        fixture.whileVerifying = () -> fixture.extents.changed(key.pool(), key.blockId());
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.isLinked(key)).isFalse();
        fixture.whileVerifying = () -> {};
        fixture.read(key);
        assertThat(fixture.announced).containsExactly(key);
    }

    @Test
    void memoryCopyThatCameWhileVerifying_goesFirst() throws IOException {
        BlockKey key = fixture.replica(1);
        fixture.whileVerifying = () -> {
            Extent copy = Objects.requireNonNull(fixture.memory
                    .begin(key, NvmFixture.BYTES, false, fixture.nowNs)
                    .extent());
            fixture.memory.publish(copy, fixture.nowNs);
        };
        fixture.read(key);
        assertThat(fixture.tier.isResident(key)).isFalse();
        assertThat(fixture.isLinked(key)).isFalse();
    }

    @Test
    void superseded_isRetired_andItsLinkGoesWithTheNextTurn() throws IOException {
        BlockKey key = admitted(1);
        fixture.extents.superseded(key);
        assertThat(fixture.announced).isEmpty();
        fixture.extents.turn(fixture.nowNs, grant -> {});
        assertThat(fixture.isLinked(key)).isFalse();
    }

    @Test
    void changed_withoutAGrant_removesTheLinkAtOnce() throws IOException {
        BlockKey key = admitted(1);
        fixture.extents.changed(key.pool(), key.blockId());
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.isLinked(key)).isFalse();
    }

    @Test
    void changed_whereADeviceMayHaveToLetGo_leavesTheLinkToTheNextTurn() throws IOException {
        fixture.extents.removeInTurns();
        BlockKey key = admitted(1);
        fixture.extents.changed(key.pool(), key.blockId());
        assertThat(fixture.announced).isEmpty();
        assertThat(fixture.isLinked(key)).isTrue();
        fixture.extents.turn(fixture.nowNs, grant -> {});
        assertThat(fixture.isLinked(key)).isFalse();
    }

    @Test
    void deleted_underAGrant_keepsItsBytesUntilTheGrantEnds() throws IOException {
        BlockKey key = admitted(1);
        byte[] bytes = Files.readAllBytes(fixture.file(key));
        GrantRecord grant = grant(key);
        Path leased = Path.of(fixture.links.oneTimeLink(grant.extent()));
        fixture.delete(key);
        List<GrantRecord> revoked = new ArrayList<>();
        fixture.extents.turn(fixture.nowNs, revoked::add);
        assertThat(revoked).containsExactly(grant);
        assertThat(Files.readAllBytes(leased)).isEqualTo(bytes);
        assertThat(fixture.tier.usage().extents()).isEqualTo(1);
        fixture.tier.grants().released(5, grant.id(), fixture.nowNs);
        fixture.extents.turn(fixture.nowNs, held -> {});
        assertThat(fixture.tier.usage().extents()).isZero();
        // Whoever opened it has it; for everybody else it is gone.
        assertThat(Files.readAllBytes(leased)).isEqualTo(bytes);
        assertThat(volume.resolve("terrace/extents")).isEmptyDirectory();
    }

    @Test
    void full_longestUnreadMakesWay_butNotBeforeItsTime() throws IOException {
        BlockKey first = admitted(1);
        fixture.nowNs += 1;
        BlockKey second = admitted(2);
        BlockKey third = fixture.replica(3);
        fixture.read(third);
        assertThat(fixture.announced).containsExactlyInAnyOrder(first, second);
        assertThat(fixture.metricRegistry.value(Metric.NVM_NOT_ADMITTED)).isEqualTo(1);
        fixture.nowNs += NvmFixture.LEASE_NS;
        fixture.read(third);
        assertThat(fixture.announced).containsExactlyInAnyOrder(second, third);
        assertThat(fixture.isLinked(first)).isFalse();
    }

    @Test
    void full_ofGrantedExtents_takesNoOther() throws IOException {
        GrantRecord first = grant(admitted(1));
        GrantRecord second = grant(admitted(2));
        fixture.nowNs += NvmFixture.LEASE_NS;
        BlockKey third = fixture.replica(3);
        fixture.read(third);
        assertThat(fixture.announced)
                .containsExactlyInAnyOrder(first.extent().key(), second.extent().key());
    }

    @Test
    void switchedOff_endsThem_andTakesNoOther() throws IOException {
        BlockKey key = admitted(1);
        fixture.memory.serve(NvmFixture.POOL, false, fixture.nowNs);
        fixture.extents.turn(fixture.nowNs, grant -> {});
        assertThat(fixture.announced).isEmpty();
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
        fixture.memory.serve(NvmFixture.POOL, true, fixture.nowNs);
        fixture.read(key);
        assertThat(fixture.announced).containsExactly(key);
    }

    @Test
    void closed_grantsNothingAnyMore() throws IOException {
        BlockKey key = admitted(1);
        fixture.extents.close();
        fixture.extents.turn(fixture.nowNs, grant -> {});
        assertThat(fixture.isLinked(key))
                .as("a deleted block would keep its room")
                .isFalse();
        assertThat(fixture.tier
                        .grants()
                        .grant(5, USER, key, NvmFixture.NEVER, fixture.nowNs)
                        .grant())
                .isNull();
        fixture.read(key);
        assertThat(fixture.announced).isEmpty();
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

    /** Others may be on a volume that hangs. */
    @Test
    void change_removesTheLinkOfItsReplicaAlone_andTheTurnThoseOfOthers() throws IOException {
        BlockKey changed = admitted(1);
        BlockKey other = admitted(2);
        fixture.extents.superseded(other);
        fixture.extents.changed(changed.pool(), changed.blockId());
        assertThat(fixture.isLinked(changed)).isFalse();
        assertThat(fixture.isLinked(other)).isTrue();
        fixture.extents.turn(fixture.nowNs, grant -> {});
        assertThat(fixture.isLinked(other)).isFalse();
    }
}
