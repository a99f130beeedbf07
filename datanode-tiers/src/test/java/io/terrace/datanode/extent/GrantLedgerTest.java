package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.server.Principal;
import io.terrace.common.BlockKey;
import org.junit.jupiter.api.Test;

class GrantLedgerTest {

    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final long SECOND = 1_000_000_000L;
    private static final Principal ALICE = Principal.onThisHost("alice");
    private static final Principal BOB = Principal.onThisHost("bob");

    private final GrantLedger ledger = ledger(100, 2);

    private static Extent live(int id) {
        Extent extent = new Extent(new BlockKey("pool", id, 1), 1_000, 4096L * (id + 1), id, 0);
        extent.state = ExtentState.LIVE;
        return extent;
    }

    private static GrantLedger ledger(int grants, int grantsPerPeer) {
        return new GrantLedger(new GrantLedger.Limits(grants, grantsPerPeer, 1_000, 100, 1_000_000_000L, 1_000));
    }

    @Test
    void grant_beyondThePeersLimit_isRefused() {
        Extent extent = live(1);
        assertThat(ledger.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(ledger.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(ledger.grant(1, ALICE, extent, NEVER, 0)).isNull();
        assertThat(ledger.grant(2, BOB, extent, NEVER, 0)).isNotNull();
        assertThat(ledger.endPeer(1)).hasSize(2);
        assertThat(ledger.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(extent.grants).isEqualTo(2);
    }

    @Test
    void grant_beyondTheLimitOfAll_isRefused() {
        GrantLedger small = ledger(2, 2);
        Extent extent = live(1);
        assertThat(small.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(small.grant(2, BOB, extent, NEVER, 0)).isNotNull();
        assertThat(small.grant(3, Principal.onThisHost("carol"), extent, NEVER, 0))
                .isNull();
        assertThat(small.size()).isEqualTo(2);
    }

    @Test
    void grants_ofOneUserOverManyConnections_areNoMoreThanAreLeftForOthers() {
        GrantLedger large = ledger(1_000, 10);
        Extent extent = live(1);
        int hers = 0;
        for (int peer = 0; peer < 256; peer++) {
            for (int i = 0; i < 10; i++) {
                hers += large.grant(peer, ALICE, extent, NEVER, 0) == null ? 0 : 1;
            }
        }
        assertThat(hers).isEqualTo(500);
        int his = 0;
        for (int peer = 256; peer < 512; peer++) {
            for (int i = 0; i < 10; i++) {
                his += large.grant(peer, BOB, extent, NEVER, 0) == null ? 0 : 1;
            }
        }
        assertThat(his).isEqualTo(250);
        assertThat(large.grant(512, Principal.onAnotherHost("carol"), extent, NEVER, 0))
                .as("whoever comes next is served")
                .isNotNull();
        large.endPeer(0);
        assertThat(large.grant(0, ALICE, extent, NEVER, 0))
                .as("she has too many still")
                .isNull();
    }

    @Test
    void grants_ofOneConnectionOnOneBlock_areTakenBackFromTheOldest_andBounded() {
        GrantLedger large = ledger(10_000, 1_000);
        Extent extent = live(1);
        GrantRecord oldest = large.grant(1, ALICE, extent, NEVER, 0);
        GrantRecord next = large.grant(1, ALICE, extent, NEVER, 0);
        for (int held = 2; held < PeerGrants.SOFT_LIMIT; held++) {
            assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        }
        assertThat(large.surplus(1, extent)).isNull();
        assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(large.surplus(1, extent)).isSameAs(oldest);
        assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(large.surplus(1, extent)).as("each is told once").isSameAs(next);
        for (int held = PeerGrants.SOFT_LIMIT + 2; held < PeerGrants.HARD_LIMIT; held++) {
            assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        }
        assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNull();
        assertThat(large.grant(1, ALICE, live(2), NEVER, 0)).as("another block").isNotNull();
        assertThat(large.grant(2, ALICE, extent, NEVER, 0))
                .as("another connection")
                .isNotNull();
        large.end(1, oldest.id());
        assertThat(large.grant(1, ALICE, extent, NEVER, 0)).isNotNull();
        assertThat(large.endPeer(1)).hasSize(PeerGrants.HARD_LIMIT + 1);
        assertThat(extent.grants).isEqualTo(1);
    }

    @Test
    void lease_neverOutlivesTheToken() {
        GrantRecord grant = ledger.grant(1, ALICE, live(1), 300, 0);
        assertThat(ledger.leaseNs(grant, 0)).isEqualTo(300);
        assertThat(ledger.renew(1, grant.id(), 200)).isEqualTo(100);
        assertThat(ledger.endOverdue(399)).isEmpty();
        assertThat(ledger.endOverdue(400))
                .as("after the deadline for reads in progress")
                .containsExactly(grant);
        assertThat(ledger.renew(1, grant.id(), 400)).isZero();
    }

    @Test
    void renew_ofRetiringExtentOrForeignGrant_isRefused() {
        Extent extent = live(1);
        GrantRecord grant = ledger.grant(1, ALICE, extent, NEVER, 0);
        assertThat(ledger.renew(2, grant.id(), 10)).isZero();
        assertThat(ledger.renew(1, grant.id(), 10)).isEqualTo(1_000);
        extent.state = ExtentState.RETIRING;
        assertThat(ledger.renew(1, grant.id(), 20)).isZero();
        assertThat(ledger.endOverdue(1_109)).isEmpty();
        assertThat(ledger.endOverdue(1_110)).containsExactly(grant);
    }

    @Test
    void unreported_isBoundedByTimeAndByWhatAClientKeepsBack() {
        assertThat(ledger.unreportedBytes(1, 50)).isZero();
        GrantRecord grant = ledger.grant(1, ALICE, live(1), NEVER, 0);
        assertThat(ledger.unreportedBytes(1, 1_000_000)).isEqualTo(1_000_000);
        assertThat(ledger.unreportedBytes(1, NEVER)).isEqualTo(256L << 20);
        ledger.report(1, grant, 1, 1, 2_000_000);
        assertThat(ledger.unreportedBytes(1, 2_500_000)).isEqualTo(500_000);
        ledger.end(1, grant.id());
        assertThat(ledger.unreportedBytes(1, NEVER)).isZero();
    }

    @Test
    void end_byAnotherPeerOrTwice_doesNothing() {
        Extent extent = live(1);
        GrantRecord grant = ledger.grant(1, ALICE, extent, NEVER, 0);
        assertThat(ledger.end(2, grant.id())).isNull();
        assertThat(extent.grants).isEqualTo(1);
        assertThat(ledger.end(1, grant.id())).isSameAs(grant);
        assertThat(ledger.end(1, grant.id())).isNull();
        assertThat(extent.grants).isZero();
    }

    @Test
    void report_ofBytesAfterTheirRead_countsThem_butNoReadLongerThanTheBlock() {
        GrantRecord grant = ledger.grant(1, ALICE, live(1), NEVER, 0);
        long second = 1_000_000_000L;
        assertThat(ledger.report(1, grant, 0, 10, second)).isEqualTo(new GrantLedger.Accepted(0, 0));
        assertThat(ledger.report(1, grant, 1, 300, second)).isEqualTo(new GrantLedger.Accepted(1, 300));
        assertThat(ledger.report(1, grant, 0, 600, second)).isEqualTo(new GrantLedger.Accepted(0, 600));
        assertThat(ledger.report(1, grant, 0, 600, second)).isEqualTo(new GrantLedger.Accepted(0, 100));
    }

    @Test
    void report_beyondWhatAProcessCanRead_countsOnlyThePlausiblePart() {
        GrantRecord grant = ledger.grant(1, ALICE, live(1), NEVER, 0);
        assertThat(ledger.report(1, grant, 10, 5_000, SECOND)).isEqualTo(new GrantLedger.Accepted(10, 5_000));
        GrantLedger.Accepted forged = ledger.report(1, grant, Long.MAX_VALUE, Long.MAX_VALUE, SECOND);
        assertThat(forged.reads()).isEqualTo(1_990);
        assertThat(forged.bytes()).isEqualTo(1_995_000);
        assertThat(ledger.report(1, grant, 1_000, 1, SECOND)).isEqualTo(new GrantLedger.Accepted(0, 0));
        assertThat(ledger.report(2, grant, 1, 1, SECOND)).isEqualTo(new GrantLedger.Accepted(0, 0));
        assertThat(ledger.report(1, grant, 10_000, 1, 2 * SECOND).reads())
                .as("what could be read since")
                .isEqualTo(1_000);
    }

    @Test
    void report_afterHoursOfIdleness_isWorthTwoSeconds() {
        GrantRecord grant = ledger.grant(1, ALICE, live(1), NEVER, 0);
        ledger.report(1, grant, 1, 1, SECOND);
        assertThat(ledger.report(1, grant, Long.MAX_VALUE, Long.MAX_VALUE, 8 * 3_600 * SECOND))
                .isEqualTo(new GrantLedger.Accepted(2_000, 2_000_999));
    }

    @Test
    void report_overManyConnectionsOfOneUser_isWorthNoMoreThanOverOne_andAnotherUserHasHisOwn() {
        Extent extent = live(1);
        long reads = 0;
        for (int peer = 1; peer <= 100; peer++) {
            GrantRecord grant = ledger.grant(peer, ALICE, extent, NEVER, SECOND);
            reads += ledger.report(peer, grant, Long.MAX_VALUE, 0, SECOND).reads();
            ledger.endPeer(peer);
            ledger.endOverdue(SECOND);
        }
        assertThat(reads).isEqualTo(2_000);
        GrantRecord his = ledger.grant(101, BOB, extent, NEVER, SECOND);
        assertThat(ledger.report(101, his, Long.MAX_VALUE, 0, SECOND).reads()).isEqualTo(2_000);
    }

    @Test
    void holder_withoutGrants_isForgotten_onceHisReportsAreWorthTheWholeAgain() {
        GrantRecord grant = ledger.grant(1, ALICE, live(1), NEVER, 0);
        ledger.report(1, grant, Long.MAX_VALUE, 0, 0);
        ledger.endPeer(1);
        ledger.endOverdue(SECOND);
        assertThat(ledger.holders()).isEqualTo(1);
        ledger.endOverdue(2 * SECOND);
        assertThat(ledger.holders()).isZero();
    }

    @Test
    void holders_thatComeAndGo_areKeptUpToALimit() {
        Extent extent = live(1);
        for (int i = 0; i < 3 * PrincipalAccounts.MAX_RESTING; i++) {
            GrantRecord grant = ledger.grant(i, Principal.onAnotherHost("user " + i), extent, NEVER, 0);
            ledger.report(i, grant, 1, 1, 0);
            ledger.endPeer(i);
        }
        assertThat(ledger.holders()).isEqualTo(PrincipalAccounts.MAX_RESTING);
    }

    @Test
    void holder_ofAnotherHost_isWhomTheTokenNames_andWithoutTokensAllAreOne() {
        assertThat(Principal.onAnotherHost("alice")).isEqualTo(Principal.onAnotherHost("alice"));
        assertThat(Principal.onAnotherHost("alice")).isNotEqualTo(Principal.onAnotherHost("bob"));
        assertThat(Principal.onAnotherHost("alice")).as("another alice").isNotEqualTo(ALICE);
        assertThat(Principal.onAnotherHost(null)).isEqualTo(Principal.onAnotherHost(null));
    }
}
