package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Holder;
import io.terrace.channel.Peer;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.Tier;
import io.terrace.metrics.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other hosts are answered from memory first, then from NVM; each grant is kept where it was given. */
class RemoteDeskTest {

    private static final Peer PEER = new Peer(5, "user", "", false, "test");

    @TempDir
    Path volume;

    private NvmBed bed;
    private Accesses accesses;
    private GrantDesk memory;
    private RemoteDesk desk;
    private BlockKey key;

    /** Whose tokens are shown; null where there are none. */
    private @Nullable String user;

    /** Whether what is shown is none. */
    private boolean bad;

    @BeforeEach
    void make() throws IOException {
        bed = new NvmBed(volume, 10, Runnable::run);
        accesses = new Accesses(bed.figures, () -> bed.nowNs);
        memory = desk(bed.memory, Tier.MEMORY);
        desk = new RemoteDesk(memory, desk(bed.tier, Tier.NVM));
        key = bed.replica(1);
        bed.read(key);
    }

    private GrantDesk desk(MemoryTier tier, Tier medium) {
        return new GrantDesk(
                tier,
                medium,
                extent -> medium.name(),
                (block, token) -> {
                    if (bad) {
                        throw new BlockAccess.Denied(RefusalReason.BAD_TOKEN, "as was wanted");
                    }
                    return new BlockAccess.Allowed(BlockAccess.NO_END, user);
                },
                accesses,
                (peer, reads, bytes) -> {},
                bed.figures,
                () -> bed.nowNs);
    }

    /** Grants that clients of these names are given, each over a connection of its own. */
    private int granted(int firstSession, int count, String name, @Nullable String tokenUser) {
        user = tokenUser;
        int granted = 0;
        for (int session = firstSession; session < firstSession + count; session++) {
            Peer peer = new Peer(session, name + session, "", false, "test");
            granted += desk.grant(peer, new GrantRequest(key, new byte[0], false)) instanceof Grant ? 1 : 0;
        }
        return granted;
    }

    @Test
    void grants_ofOneTokensUser_areBoundedWhateverHisConnectionsCallThemselves() {
        copyToMemory();
        assertThat(granted(100, 80, "somebody-", "mallory")).isEqualTo(NvmBed.GRANTS / 2);
        assertThat(granted(200, 1, "somebody-", "alice")).isEqualTo(1);
    }

    @Test
    void grants_withoutTokens_areBoundedForAllWhoseNameNobodyProves() {
        copyToMemory();
        assertThat(granted(100, 80, "somebody-", null)).isEqualTo(NvmBed.GRANTS / 2);
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
        assertThat(desk.holder(peer, request)).isEqualTo(Holder.onAnotherHost("mallory"));
        assertThat(memory.holder(peer, request)).isEqualTo(Holder.onThisHost("alice"));
        bad = true;
        assertThat(desk.holder(peer, request)).isEqualTo(Holder.UNPROVEN);
        bad = false;
        user = null;
        assertThat(desk.holder(peer, request)).as("tokens are off").isEqualTo(Holder.UNKNOWN);
    }

    private GrantAnswer ask() {
        return desk.grant(PEER, new GrantRequest(key, new byte[0], false));
    }

    private void copyToMemory() {
        Extent copy = Objects.requireNonNull(
                bed.memory.begin(key, NvmBed.BYTES, false, bed.nowNs).extent());
        bed.memory.publish(copy, bed.nowNs);
    }

    @Test
    void grant_isOfNvm_whereMemoryHasNone_elseOfMemory() {
        Grant onNvm = (Grant) ask();
        assertThat(onNvm.descriptor().tier()).isEqualTo(Tier.NVM);
        copyToMemory();
        Grant inMemory = (Grant) ask();
        assertThat(inMemory.descriptor().tier()).isEqualTo(Tier.MEMORY);
        assertThat(inMemory.grantId()).isLessThan(onNvm.grantId());
        assertThat(inMemory.descriptor().address())
                .isNotEqualTo(onNvm.descriptor().address());
    }

    @Test
    void grant_whenMemoryIsOff_isRefused_thoughNvmHasTheBlock() {
        bed.memory.serve(key.pool(), false, bed.nowNs);
        assertThat(ask()).isInstanceOfSatisfying(Refusal.class, refusal -> assertThat(refusal.reason())
                .isEqualTo(RefusalReason.OFF));
    }

    @Test
    void readsOfBoth_areCountedApart_andOnlyMemorysAsFromMemory() {
        HeatTable heat = new HeatTable(100);
        accesses.listen(key.pool(), new Accesses.Listener() {
            @Override
            public HeatTable heat() {
                return heat;
            }

            @Override
            public void news() {}
        });
        Grant onNvm = (Grant) ask();
        copyToMemory();
        Grant inMemory = (Grant) ask();
        desk.reported(
                PEER, List.of(new ReadReport(onNvm.grantId(), 2, 300), new ReadReport(inMemory.grantId(), 1, 40)));
        assertThat(bed.figures.value(Figure.READS_GRANTED_BYTES)).isEqualTo(340);
        assertThat(bed.figures.value(Figure.READS_GRANTED_NVM_BYTES)).isEqualTo(300);
        assertThat(bed.figures.value(Figure.READS_GRANTED_NVM)).isEqualTo(2);
        assertThat(heat.drain(10)).singleElement().satisfies(hot -> {
            assertThat(hot.reads()).isEqualTo(3);
            assertThat(hot.bytesRead()).isEqualTo(340);
            assertThat(hot.bytesReadFromMemory()).isEqualTo(40);
        });
    }

    @Test
    void renewAndRelease_reachTheDeskOfTheGrant() {
        Grant onNvm = (Grant) ask();
        assertThat(desk.renew(PEER, onNvm.grantId())).isPositive();
        assertThat(bed.tier.usage().grants()).isEqualTo(1);
        desk.released(PEER, onNvm.grantId());
        assertThat(bed.tier.usage().grants()).isZero();
    }

    @Test
    void disconnected_endsTheGrantsOfBoth() {
        ask();
        copyToMemory();
        ask();
        desk.disconnected(PEER, true);
        assertThat(bed.tier.usage().grants()).isZero();
        assertThat(bed.memory.usage().grants()).isZero();
    }
}
