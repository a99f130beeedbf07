package io.terrace.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.Principal;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeatTable;
import io.terrace.datanode.nvm.NvmFixture;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients are answered from memory first, then from NVM; each grant is kept where it was given. */
class RoutingGrantServiceTest {

    private static final Peer PEER = new Peer(5, "user", "", false, "test");

    @TempDir
    Path volume;

    private NvmFixture fixture;
    private AccessRecorder accessRecorder;
    private TierGrantService memory;
    private RoutingGrantService grantService;
    private BlockKey key;

    /** Whose tokens are shown; null where there are none. */
    private @Nullable String user;

    /** Whether what is shown is none. */
    private boolean bad;

    @BeforeEach
    void make() throws IOException {
        fixture = new NvmFixture(volume, 10, Runnable::run);
        accessRecorder = new AccessRecorder(fixture.metricRegistry, () -> fixture.nowNs, () -> null);
        memory = grantService(fixture.memory, StorageTier.MEMORY);
        grantService = RoutingGrantService.ofOtherHosts(memory, grantService(fixture.tier, StorageTier.NVM));
        key = fixture.replica(1);
        fixture.read(key);
    }

    private TierGrantService grantService(LocalTier tier, StorageTier medium) {
        return grantService(tier, medium, extent -> medium.name());
    }

    private TierGrantService grantService(LocalTier tier, StorageTier medium, TierGrantService.ExtentLinks links) {
        return new TierGrantService(
                tier,
                medium,
                links,
                (block, token) -> {
                    if (bad) {
                        throw new TokenVerifier.Denied(RefusalReason.BAD_TOKEN, "as was wanted");
                    }
                    return new TokenVerifier.Allowed(TokenVerifier.NO_END, user);
                },
                accessRecorder,
                (peer, reads, bytes) -> {},
                fixture.metricRegistry,
                () -> fixture.nowNs);
    }

    /** Grants that clients of these names are given, each over a connection of its own. */
    private int granted(int firstSession, int count, String name, @Nullable String tokenUser) {
        user = tokenUser;
        int granted = 0;
        for (int session = firstSession; session < firstSession + count; session++) {
            Peer peer = new Peer(session, name + session, "", false, "test");
            granted += grantService.grant(peer, new GrantRequest(key, new byte[0], false)) instanceof Grant ? 1 : 0;
        }
        return granted;
    }

    @Test
    void grants_ofOneTokensUser_areBoundedWhateverHisConnectionsCallThemselves() {
        copyToMemory();
        assertThat(granted(100, 80, "somebody-", "mallory")).isEqualTo(NvmFixture.GRANTS / 2);
        assertThat(granted(200, 1, "somebody-", "alice")).isEqualTo(1);
    }

    @Test
    void grants_withoutTokens_areBoundedForAllWhoseNameNobodyProves() {
        copyToMemory();
        assertThat(granted(100, 80, "somebody-", null)).isEqualTo(NvmFixture.GRANTS / 2);
        Peer here = new Peer(300, "somebody-100", "", false, "test");
        assertThat(memory.grant(here, new GrantRequest(key, new byte[0], false)))
                .as("a user of this host, of one of the names")
                .isInstanceOf(Grant.class);
    }

    @Test
    void holder_isWhomTheTokenNames_andNobodyIsKnownByABadOne() {
        Peer peer = new Peer(400, "alice", "", false, "test");
        GrantRequest request = new GrantRequest(key, new byte[0], false);
        user = "mallory";
        assertThat(grantService.holder(peer, request)).isEqualTo(Principal.onAnotherHost("mallory"));
        assertThat(memory.holder(peer, request)).isEqualTo(Principal.onThisHost("alice"));
        bad = true;
        assertThat(grantService.holder(peer, request)).isEqualTo(Principal.UNPROVEN);
        bad = false;
        user = null;
        assertThat(grantService.holder(peer, request)).as("tokens are off").isEqualTo(Principal.UNKNOWN);
    }

    private GrantAnswer ask() {
        return grantService.grant(PEER, new GrantRequest(key, new byte[0], false));
    }

    private void copyToMemory() {
        Extent copy = Objects.requireNonNull(fixture.memory
                .begin(key, NvmFixture.BYTES, false, fixture.nowNs)
                .extent());
        fixture.memory.publish(copy, fixture.nowNs);
    }

    @Test
    void grant_isOfNvm_whereMemoryHasNone_elseOfMemory() {
        Grant onNvm = (Grant) ask();
        assertThat(onNvm.descriptor().tier()).isEqualTo(StorageTier.NVM);
        copyToMemory();
        Grant inMemory = (Grant) ask();
        assertThat(inMemory.descriptor().tier()).isEqualTo(StorageTier.MEMORY);
        assertThat(inMemory.grantId()).isLessThan(onNvm.grantId());
        assertThat(inMemory.descriptor().address())
                .isNotEqualTo(onNvm.descriptor().address());
    }

    @Test
    void grant_whenMemoryIsOff_isRefused_thoughNvmHasTheBlock() {
        fixture.memory.serve(key.pool(), false, fixture.nowNs);
        assertThat(ask()).isInstanceOfSatisfying(Refusal.class, refusal -> assertThat(refusal.reason())
                .isEqualTo(RefusalReason.OFF));
    }

    @Test
    void readsOfBoth_areCountedApart_andOnlyMemorysAsFromMemory() {
        HeatTable heat = new HeatTable(100);
        accessRecorder.listen(key.pool(), new AccessRecorder.Listener() {
            @Override
            public HeatTable heat() {
                return heat;
            }

            @Override
            public void blockAdded() {}
        });
        Grant onNvm = (Grant) ask();
        copyToMemory();
        Grant inMemory = (Grant) ask();
        grantService.reported(
                PEER, List.of(new ReadReport(onNvm.grantId(), 2, 300), new ReadReport(inMemory.grantId(), 1, 40)));
        assertThat(fixture.metricRegistry.value(Metric.READS_GRANTED_BYTES)).isEqualTo(340);
        assertThat(fixture.metricRegistry.value(Metric.READS_GRANTED_NVM_BYTES)).isEqualTo(300);
        assertThat(fixture.metricRegistry.value(Metric.READS_GRANTED_NVM)).isEqualTo(2);
        assertThat(heat.drain(10)).singleElement().satisfies(hot -> {
            assertThat(hot.reads()).isEqualTo(3);
            assertThat(hot.bytesRead()).isEqualTo(340);
            assertThat(hot.bytesReadFromMemory()).isEqualTo(40);
        });
    }

    @Test
    void renewAndRelease_reachTheTierOfTheGrant() {
        Grant onNvm = (Grant) ask();
        assertThat(grantService.renew(PEER, onNvm.grantId())).isPositive();
        assertThat(fixture.tier.usage().grants()).isEqualTo(1);
        grantService.released(PEER, onNvm.grantId());
        assertThat(fixture.tier.usage().grants()).isZero();
    }

    @Test
    void disconnected_endsTheGrantsOfBoth() {
        ask();
        copyToMemory();
        ask();
        grantService.disconnected(PEER, true);
        assertThat(fixture.tier.usage().grants()).isZero();
        assertThat(fixture.memory.usage().grants()).isZero();
    }

    /** The extent stays: other hosts are granted it. */
    @Test
    void clientOfThisHost_whoCannotBeGivenALink_isRefused_andTheReplicaStaysAnExtent() throws Exception {
        TierGrantService linkless = grantService(fixture.tier, StorageTier.NVM, extent -> {
            throw new TierGrantService.NoLinkException("No space left on device");
        });
        RoutingGrantService here = RoutingGrantService.ofThisHost(memory, linkless);
        assertThat(here.grant(PEER, new GrantRequest(key, new byte[0], false)))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.FAILED));
        assertThat(fixture.metricRegistry.value(Metric.NVM_LOCAL_NOT_LINKED)).isEqualTo(1);
        assertThat(fixture.tier.usage().grants()).isZero();
        assertThat(ask()).isInstanceOf(Grant.class);
    }

    @Test
    void clientOfThisHost_isGrantedMemoryFirst_andHeldByItsUser() {
        RoutingGrantService here = RoutingGrantService.ofThisHost(memory, grantService(fixture.tier, StorageTier.NVM));
        GrantRequest request = new GrantRequest(key, new byte[0], false);
        user = "mallory";
        assertThat(here.holder(PEER, request)).isEqualTo(Principal.onThisHost(PEER.user()));
        assertThat(((Grant) here.grant(PEER, request)).descriptor().tier()).isEqualTo(StorageTier.NVM);
        copyToMemory();
        assertThat(((Grant) here.grant(PEER, request)).descriptor().tier()).isEqualTo(StorageTier.MEMORY);
    }

    @Test
    void clientOfThisHost_isGrantedMemoryAlone_whereNvmIsNotForThisHost() {
        RoutingGrantService here = RoutingGrantService.ofThisHost(memory, null);
        assertThat(here.grant(PEER, new GrantRequest(key, new byte[0], false)))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.NOT_RESIDENT));
    }
}
