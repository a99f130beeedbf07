package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.HomeSelector.Standing;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of the DataNodes that hold a block gets the copy: room, readers, faults, and reports that are not true. */
class ClusterPlacementTest extends SteppedLoop {

    private final FakeDataNode three = new FakeDataNode("three", 10 * MB);

    @BeforeEach
    void everyDataNodeIsKnown() {
        placement.policy(nowMs, applied("policy: lru"));
        beatAll(1);
    }

    private void beatAll(int rounds) {
        for (int round = 0; round < rounds; round++) {
            beat(one);
            beat(two);
            beat(three);
        }
    }

    private StampedBlock stored(long id, long megabytes, FakeDataNode... holders) {
        StampedBlock block = block(id, megabytes);
        names.store(block, holders);
        return block;
    }

    private void read(FakeDataNode node, StampedBlock block, long times) {
        node.reads(block, times);
        beat(node);
        beatAll(2);
    }

    private void fill(FakeDataNode node) {
        for (int i = 0; i < 5; i++) {
            read(node, stored(1000 + 10 * node.uuid.length() + i, 2, node), 5);
        }
        assertThat(node.usedBytes()).isEqualTo(10 * MB);
    }

    private long homesChanged() {
        return metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED);
    }

    @Test
    void blockReadWhereThereIsNoRoom_isCopiedWhereThereIs() {
        fill(one);
        StampedBlock block = stored(1, 2, one, two);
        read(one, block, 1);
        assertThat(two.memory).containsKey(1L);
        assertThat(one.orders).noneMatch(order -> !order.isPromotion());
    }

    @Test
    void explanation_saysWhatSpeaksForEachDataNode() {
        fill(one);
        one.reads(stored(1, 2, one, two), 1);
        beat(one);
        Standing crowded = standing(one);
        assertThat(crowded.price()).isGreaterThan(crowded.gain());
        assertThat(crowded.crowding()).isGreaterThan(1);
        assertThat(standing(two).price()).isZero();
    }

    /** Of block 1, as explained. */
    private Standing standing(FakeDataNode node) {
        for (ReplicaReport replica : placement.reports().block(nowMs, 1, 0).replicas()) {
            if (replica.node().equals(node.uuid)) {
                return replica.standing();
            }
        }
        throw new AssertionError("nothing is known of " + node.uuid);
    }

    @Test
    void blockReadWhereThereIsRoom_staysThereAndNobodyIsAsked() {
        read(one, stored(1, 2, one, two), 1);
        assertThat(one.memory).containsKey(1L);
        assertThat(names.holderLooks).isZero();
    }

    @Test
    void firstReplicasOnOneDataNode_fillTheMemoryOfAll() {
        for (int i = 1; i <= 15; i++) {
            read(one, stored(i, 2, one, i % 2 == 0 ? two : three), 1);
        }
        assertThat(one.usedBytes() + two.usedBytes() + three.usedBytes()).isEqualTo(30 * MB);
        assertThat(homesChanged()).isZero();
    }

    /** All have the same home before any is in memory; each is read as often for each of its bytes. */
    @Test
    void blocksThatFillTheirHomeTogether_areAllInMemoryAndStay() {
        placement.policy(nowMs, applied("policy: adaptive"));
        beatAll(1);
        StampedBlock large = stored(1, 5, one, two);
        StampedBlock other = stored(2, 5, one, two);
        StampedBlock small = stored(3, 1, one, two);
        for (int pass = 0; pass < 10; pass++) {
            one.reads(large, 500);
            one.reads(other, 500);
            one.reads(small, 101);
            beatAll(8);
        }
        assertThat(one.usedBytes() + two.usedBytes()).isEqualTo(11 * MB);
        assertThat(one.orders).noneMatch(order -> !order.isPromotion());
    }

    @Test
    void blockLargerThanTheMemoryOfItsReader_goesToALargerOne() {
        three.capacityBytes = 40 * MB;
        beatAll(1);
        read(one, stored(1, 20, one, two, three), 1);
        assertThat(three.memory).containsKey(1L);
    }

    @Test
    void blockLargerThanEveryMemory_isNowhereAndAsksOnce() {
        for (int i = 0; i < 5; i++) {
            read(one, stored(1, 20, one, two, three), 3);
        }
        assertThat(one.orders).isEmpty();
        assertThat(two.orders).isEmpty();
        assertThat(names.holderLooks).isEqualTo(1);
    }

    @Test
    void readerWithoutMemory_isServedByAnother() {
        one.capacityBytes = 0;
        two.capacityBytes = 0;
        beatAll(1);
        read(one, stored(1, 2, one, two, three), 1);
        assertThat(three.memory).containsKey(1L);
    }

    @Test
    void pinsThatReserveTheRoom_sendTheBlockElsewhere() {
        for (int i = 0; i < 5; i++) {
            one.arrives(block(100 + i, 2), true);
        }
        beatAll(2);
        read(one, stored(1, 2, one, two), 1);
        assertThat(two.memory).containsKey(1L);
    }

    @Test
    void reporterThatHoldsNoReplica_makesNothingHotElsewhere() {
        fill(one);
        StampedBlock block = stored(1, 2, two, three);
        for (int i = 0; i < 5; i++) {
            one.reads(block, 100);
            beatAll(1);
        }
        assertThat(two.orders).isEmpty();
        assertThat(three.orders).isEmpty();
    }

    @Test
    void readersThatMove_takeTheCopyAlongOnce() {
        StampedBlock block = stored(1, 2, one, two, three);
        read(one, block, 5);
        assertThat(one.memory).containsKey(1L);
        nowMs += 10_000;
        for (int i = 0; i < 40; i++) {
            read(two, block, 3);
        }
        assertThat(two.memory).containsKey(1L);
        assertThat(one.memory).doesNotContainKey(1L);
        assertThat(homesChanged()).isEqualTo(1);
    }

    @Test
    void stockReadersOnAllHolders_moveNoCopy() {
        StampedBlock block = stored(1, 2, one, two, three);
        read(one, block, 5);
        nowMs += 10_000;
        for (int i = 0; i < 200; i++) {
            read(i % 3 == 0 ? one : i % 3 == 1 ? two : three, block, 1);
        }
        assertThat(one.memory).containsKey(1L);
        assertThat(homesChanged()).isZero();
        assertThat(one.orders).hasSize(1);
    }

    @Test
    void dataNodeThatFallsSilent_leavesItsBlocksToOthers() {
        StampedBlock block = stored(1, 2, one, two);
        read(one, block, 5);
        for (int i = 0; i < 60; i++) {
            beat(two);
            beat(three);
        }
        two.reads(block, 1);
        beat(two);
        beat(two);
        beat(two);
        assertThat(two.memory).containsKey(1L);
    }

    @Test
    void decommissionedDataNode_getsNoCopy() {
        fill(one);
        StampedBlock block = stored(1, 2, one, two, three);
        names.store(block, one, three); // two is no longer in service
        read(one, block, 1);
        assertThat(three.memory).containsKey(1L);
    }

    @Test
    void dataNodeThatSaysItHasRoomAndHasNone_isGivenUpForTheBlock() {
        fill(one);
        two.capacityBytes = Long.MAX_VALUE / 4;
        two.carryOut = order -> order.isPromotion() ? MoveOutcome.NO_ROOM : null;
        beatAll(1);
        StampedBlock block = stored(1, 2, one, two, three);
        for (int i = 0; i < 30; i++) {
            read(one, block, 1);
        }
        assertThat(two.memory).isEmpty();
        assertThat(one.memory.containsKey(1L) || three.memory.containsKey(1L)).isTrue();
    }

    @Test
    void clockThatJumps_leavesOneCopyAndOneHome() {
        StampedBlock block = stored(1, 2, one, two, three);
        read(one, block, 5);
        nowMs += 400L * 24 * 3_600_000;
        beatAll(3);
        read(one, block, 1);
        assertThat(one.memory).containsKey(1L);
        assertThat(homesChanged()).isZero();
    }

    @Test
    void clockThatJumpsBack_leavesOneCopy_thatStillFollowsItsReaders() {
        nowMs += 400L * 24 * 3_600_000;
        beatAll(3);
        StampedBlock block = stored(1, 2, one, two, three);
        read(one, block, 5);
        nowMs -= 300L * 24 * 3_600_000;
        beatAll(3);
        read(one, block, 1);
        assertThat(one.memory).containsKey(1L);
        assertThat(homesChanged()).isZero();
        for (int i = 0; i < 40; i++) {
            read(two, block, 3);
        }
        assertThat(two.memory).containsKey(1L);
        assertThat(one.memory).doesNotContainKey(1L);
        assertThat(homesChanged()).isEqualTo(1);
    }

    @Test
    void capacityThatSwings_isFollowedAndLeavesOneCopyOfEach() {
        fill(one);
        for (int i = 0; i < 10; i++) {
            one.capacityBytes = i % 2 == 0 ? 0 : Long.MAX_VALUE / 256;
            read(one, stored(1 + i, 2, one, two, three), 2);
            assertThat(one.usedBytes()).isLessThanOrEqualTo(one.capacityBytes);
        }
        one.capacityBytes = 4 * MB; // Less than is in it.
        beatAll(3);
        assertThat(one.usedBytes()).isLessThanOrEqualTo(4 * MB);
        one.memory.keySet().forEach(id -> assertThat(two.memory).doesNotContainKey(id));
        one.memory.keySet().forEach(id -> assertThat(three.memory).doesNotContainKey(id));
    }

    @Test
    void policyThatChangesAmidMoves_leavesOneCopy() {
        fill(one);
        StampedBlock block = stored(1, 2, one, two);
        one.reads(block, 1);
        beat(one);
        HeartbeatAnswer answer = placement.heartbeat(nowMs += 250, two.heartbeat());
        assertThat(answer.orders()).hasSize(1);
        assertThat(placement.policy(nowMs, applied("policy: adaptive"))).isNull();
        two.take(answer);
        beatAll(3);
        read(one, block, 3);
        assertThat(two.memory).containsKey(1L);
        assertThat(one.memory).doesNotContainKey(1L);
    }

    @Test
    void copiesOfOneBlockOnTwoDataNodes_becomeOne() {
        StampedBlock block = stored(1, 2, one, two);
        read(one, block, 3);
        two.arrives(block, false);
        beatAll(3);
        assertThat(one.memory.containsKey(1L) ^ two.memory.containsKey(1L)).isTrue();
    }
}
