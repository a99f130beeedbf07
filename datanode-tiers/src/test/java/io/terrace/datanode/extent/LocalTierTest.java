package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.server.Principal;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.LocalTier.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LocalTierTest {

    private static final Principal USER = Principal.onThisHost("user");
    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final String POOL = TierFixture.POOL;

    private final TierFixture fixture = new TierFixture();
    private final LocalTier tier = fixture.tier;

    private static BlockKey key(long id) {
        return TierFixture.key(id);
    }

    @Test
    void begin_whenFull_saysWhetherRoomIsAboutToBeFreed() {
        fixture.live(1, 600, 0);
        assertThat(tier.begin(key(2), 500, false, 0).admission()).isEqualTo(Admission.NO_ROOM);
        assertThat(tier.drop(key(1), RetireCause.ORDERED, 1)).isNotNull();
        assertThat(tier.begin(key(2), 500, false, 1).admission()).isEqualTo(Admission.ROOM_SOON);
        assertThat(tier.sweep(2)).isEqualTo(1);
        assertThat(tier.begin(key(2), 500, false, 2).admission()).isEqualTo(Admission.BEGUN);
        assertThat(tier.begin(key(2), 500, false, 2).admission()).isEqualTo(Admission.COPYING);
        assertThat(tier.begin(key(3), 501, false, 2).admission()).isEqualTo(Admission.NO_ROOM);
    }

    @Test
    void mayLend_isTrueOfLiveCopiesAlone_andWaitsForNobody() {
        Extent extent = tier.begin(key(1), 600, false, 0).extent();
        assertThat(tier.mayLend(1)).isFalse();
        tier.publish(extent, 1);
        assertThat(tier.mayLend(1)).isTrue();
        assertThat(tier.withoutChanges(() -> CompletableFuture.supplyAsync(() -> tier.mayLend(1))
                        .completeOnTimeout(false, 10, TimeUnit.SECONDS)
                        .join()))
                .isTrue();
        tier.changed(POOL, 1, 2);
        assertThat(tier.mayLend(1)).isFalse();
    }

    @Test
    void publish_afterChangeDuringTheCopy_isRefusedAndGivesTheRoomBack() {
        Extent extent = tier.begin(key(1), 600, false, 0).extent();
        tier.changed(POOL, 1, 1);
        assertThat(tier.publish(extent, 2)).isFalse();
        assertThat(tier.isResident(key(1))).isFalse();
        tier.sweep(3);
        assertThat(tier.usage().usedBytes()).isZero();
        assertThat(fixture.removed).containsExactly(extent);
    }

    @Test
    void retire_whileGranted_keepsTheBytesUntilTheHolderLetsGo() {
        Extent extent = fixture.live(1, 600, 0);
        GrantRecord grant = tier.grants().grant(7, USER, key(1), NEVER, 0).grant();
        tier.changed(POOL, 1, 1);
        assertThat(tier.grants().grant(8, USER, key(1), NEVER, 1).refused())
                .isEqualTo(GrantAttempt.Refused.NOT_RESIDENT);
        assertThat(tier.grants().nextRevocation()).isSameAs(grant);
        assertThat(grant.extentRetires()).isTrue();
        assertThat(tier.grants().nextRevocation()).isNull();
        tier.sweep(2);
        assertThat(fixture.removed).isEmpty();
        assertThat(tier.usage().usedBytes()).isEqualTo(600);
        tier.grants().released(7, grant.id(), 3);
        tier.sweep(3);
        assertThat(fixture.truncated).containsExactly(extent);
        assertThat(fixture.slots.states).isEmpty();
        assertThat(tier.usage().usedBytes()).isZero();
    }

    @Test
    void grants_ofOneConnectionBeyondTheSoftLimit_revokeItsOldest_andTheCopyStaysLive() {
        fixture.live(1, 600, 0);
        GrantRecord oldest = tier.grants().grant(7, USER, key(1), NEVER, 0).grant();
        for (int held = 1; held < PeerGrants.SOFT_LIMIT; held++) {
            assertThat(tier.grants().grant(7, USER, key(1), NEVER, 0).grant()).isNotNull();
        }
        assertThat(tier.grants().nextRevocation()).isNull();
        GrantRecord newest = tier.grants().grant(7, USER, key(1), NEVER, 0).grant();
        assertThat(tier.grants().nextRevocation()).isSameAs(oldest);
        assertThat(oldest.extentRetires()).isFalse();
        assertThat(tier.grants().nextRevocation()).isNull();
        assertThat(tier.grants().renew(7, oldest.id(), 1))
                .as("until it is given back")
                .isPositive();
        tier.grants().released(7, oldest.id(), 2);
        assertThat(tier.grants().renew(7, newest.id(), 3)).isPositive();
        assertThat(tier.isResident(key(1))).isTrue();
        assertThat(tier.usage().grants()).isEqualTo(PeerGrants.SOFT_LIMIT);
    }

    @Test
    void retire_whileHolderIsSilent_freesAfterLeaseAndDeadline() {
        fixture.live(1, 600, 0);
        tier.grants().grant(7, USER, key(1), NEVER, 50);
        tier.drop(key(1), RetireCause.ORDERED, 60);
        tier.sweep(1_149);
        assertThat(fixture.removed).isEmpty();
        tier.sweep(1_150);
        assertThat(fixture.removed).hasSize(1);
    }

    @Test
    void retire_whileLentToStockReader_keepsTheFileUntilItCloses() {
        Extent extent = fixture.live(1, 600, 0);
        assertThat(tier.lend(key(1), false, 1)).isSameAs(extent);
        tier.changed(POOL, 1, 2);
        assertThat(tier.lend(key(1), false, 2)).isNull();
        tier.sweep(1_000_000);
        assertThat(fixture.removed).isEmpty();
        tier.giveBack(extent, 1_000_001);
        tier.sweep(1_000_001);
        assertThat(fixture.removed).containsExactly(extent);
    }

    @Test
    void retire_afterDescriptorWasPassed_neverTruncatesAndWaitsForItsHolder() {
        Extent extent = fixture.live(1, 600, 0);
        tier.lend(key(1), true, 1);
        tier.giveBack(extent, 1);
        fixture.heldDescriptors.add(key(1));
        tier.changed(POOL, 1, 2);
        tier.sweep(501);
        assertThat(fixture.removed).isEmpty();
        fixture.heldDescriptors.clear();
        tier.sweep(501);
        assertThat(fixture.removed).containsExactly(extent);
        assertThat(fixture.truncated).isEmpty();
    }

    @Test
    void retire_whileDescriptorIsHeldForEver_givesUpAtTheLimit() {
        Extent extent = fixture.live(1, 600, 0);
        tier.lend(key(1), true, 1);
        tier.giveBack(extent, 1);
        fixture.heldDescriptors.add(key(1));
        tier.changed(POOL, 1, 2);
        tier.sweep(502);
        assertThat(fixture.removed).containsExactly(extent);
        assertThat(fixture.truncated).isEmpty();
    }

    @Test
    void begin_atTheLimitOfExtents_whileOtherBytesLeave_saysThatWaitingIsOfNoUse() {
        LocalTier small = fixture.tier(1_000, 1);
        assertThat(small.publish(small.begin(key(1), 100, false, 0).extent(), 0))
                .isTrue();
        small.space().hold(100);
        assertThat(small.begin(key(2), 100, false, 1).admission()).isEqualTo(Admission.NO_ROOM);
    }

    @Test
    void begin_withNewerStamp_retiresTheOldCopy() {
        fixture.live(1, 400, 0);
        BlockKey newer = new BlockKey(POOL, 1, 2);
        Extent extent = tier.begin(newer, 450, false, 1).extent();
        assertThat(tier.publish(extent, 2)).isTrue();
        assertThat(tier.isResident(key(1))).isFalse();
        assertThat(tier.grants().grant(7, USER, key(1), NEVER, 3).refused())
                .isEqualTo(GrantAttempt.Refused.STALE_STAMP);
        assertThat(tier.grants().grant(7, USER, newer, NEVER, 3).grant()).isNotNull();
    }

    @Test
    void off_retiresTheCopiesOfThatPoolOnly() {
        fixture.live(1, 100, 0);
        BlockKey other = new BlockKey("other", 1, 1);
        tier.publish(tier.begin(other, 100, false, 0).extent(), 0);
        Extent copying = tier.begin(key(2), 100, false, 0).extent();
        tier.serve(POOL, false, 1);
        assertThat(tier.isResident(key(1))).isFalse();
        assertThat(tier.isResident(other)).isTrue();
        assertThat(tier.publish(copying, 2)).isFalse();
        assertThat(tier.begin(key(3), 100, false, 2).admission()).isEqualTo(Admission.OFF);
        tier.serve(POOL, true, 3);
        assertThat(tier.begin(key(3), 100, false, 3).admission()).isEqualTo(Admission.BEGUN);
    }

    @Test
    void close_leavesTheFilesForTheNextProcess() {
        fixture.live(1, 100, 0);
        tier.close(1);
        assertThat(fixture.slots.states.values()).doesNotContain("live");
        tier.sweep(2);
        assertThat(fixture.removed).isEmpty();
    }

    /** Invariants: capacity, a held copy's file stays, at most one copy of a block, nothing leaks at the end. */
    @Test
    void anySequence_keepsTheInvariants() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Extent> copying = new ArrayList<>();
        List<Extent> lent = new ArrayList<>();
        List<GrantRecord> held = new ArrayList<>();
        for (long now = 0; now < 30_000; now++) {
            long id = random.nextInt(12);
            BlockKey key = new BlockKey(POOL, id, 1 + random.nextInt(2));
            switch (random.nextInt(12)) {
                case 0, 1 -> {
                    Extent begun = tier.begin(key, 1 + random.nextInt(400), random.nextInt(8) == 0, now)
                            .extent();
                    if (begun != null && begun.state() == ExtentState.COPYING) {
                        copying.add(begun);
                    }
                }
                case 2, 3 -> {
                    if (!copying.isEmpty()) {
                        Extent extent = copying.remove(random.nextInt(copying.size()));
                        if (random.nextInt(5) == 0) {
                            tier.abandon(extent, now);
                        } else {
                            tier.publish(extent, now);
                        }
                    }
                }
                case 4 -> tier.changed(POOL, id, now);
                case 5 -> tier.drop(key, RetireCause.ORDERED, now);
                case 6 -> {
                    Extent extent = tier.lend(key, random.nextInt(4) == 0, now);
                    if (extent != null) {
                        lent.add(extent);
                    }
                }
                case 7 -> {
                    if (!lent.isEmpty()) {
                        tier.giveBack(lent.remove(random.nextInt(lent.size())), now);
                    }
                }
                case 8 -> {
                    GrantRecord grant = tier.grants()
                            .grant(random.nextInt(3), USER, key, now + random.nextInt(2_000), now)
                            .grant();
                    if (grant != null) {
                        held.add(grant);
                    }
                }
                case 9 -> {
                    if (!held.isEmpty()) {
                        GrantRecord grant = held.remove(random.nextInt(held.size()));
                        tier.grants().released(grant.peer(), grant.id(), now);
                    }
                }
                case 10 -> tier.unpin(POOL, id, now);
                default -> tier.sweep(now);
            }
            held.removeIf(grant -> grant.ended);
            check(seed, lent, held);
        }
        copying.forEach(extent -> tier.abandon(extent, 40_000));
        lent.forEach(extent -> tier.giveBack(extent, 40_000));
        tier.changedAll(POOL, RetireCause.POOL_GONE, 40_000);
        tier.sweep(50_000);
        assertThat(tier.usage()).as("seed %d", seed).isEqualTo(new LocalTier.Usage(1_000, 0, 0, 0, 0, 0, 0, 0));
        assertThat(fixture.slots.states).as("seed %d", seed).isEmpty();
    }

    private void check(long seed, List<Extent> lent, List<GrantRecord> held) {
        LocalTier.Usage usage = tier.usage();
        assertThat(usage.usedBytes()).as("seed %d", seed).isBetween(0L, 1_000L);
        assertThat(usage.retiringBytes()).as("seed %d", seed).isBetween(0L, usage.usedBytes());
        assertThat(usage.pinnedBytes()).as("seed %d", seed).isBetween(0L, usage.usedBytes());
        assertThat(tier.usageWithoutOthers(POOL)).as("seed %d", seed).isEqualTo(usage);
        assertThat(tier.usageWithoutOthers("other").usedBytes())
                .as("seed %d", seed)
                .isZero();
        assertThat(lent).as("seed %d", seed).noneMatch(fixture.removed::contains);
        assertThat(held).as("seed %d", seed).noneMatch(grant -> fixture.removed.contains(grant.extent()));
        assertThat(usage.grants()).as("seed %d", seed).isEqualTo(held.size());
    }

    @Test
    void breakOff_endsAllCopies_thoughOneOfThemThrows() {
        fixture.live(1, 100, 0);
        int broken = fixture.live(2, 100, 0).slot();
        fixture.live(3, 100, 0);
        fixture.slots.states.put(broken, "broken");
        assertThatThrownBy(() -> tier.breakOff(1)).isInstanceOf(AssertionError.class);
        assertThat(fixture.gone).containsOnlyKeys(TierFixture.key(1), TierFixture.key(3));
    }

    @Test
    void begin_whileLeftoversFillTheTier_waitsForNone() {
        tier.space().hold(1_000);
        assertThat(tier.begin(key(1), 500, false, 1).admission()).isEqualTo(Admission.NO_ROOM);
        tier.space().hold(-1_000);
        assertThat(tier.begin(key(1), 500, false, 2).admission()).isEqualTo(Admission.BEGUN);
    }
}
