package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Peer;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantDeskTest {

    private static final Peer PEER = new Peer(5, "user", "", "test");

    @TempDir
    Path volume;

    private NvmBed bed;
    private GrantDesk desk;
    private GrantRequest request;

    /** Thrown in place of making a link. */
    private @Nullable RuntimeException unlinkable;

    private BlockAccess.@Nullable Denied denied;

    @BeforeEach
    void make() throws IOException {
        bed = new NvmBed(volume, 10, Runnable::run);
        desk = new GrantDesk(
                bed.memory,
                Tier.MEMORY,
                this::link,
                this::check,
                new Accesses(bed.figures, () -> bed.nowNs),
                (user, reads, bytes) -> {},
                bed.figures,
                () -> bed.nowNs);
        BlockKey key = bed.replica(1);
        Extent copy = Objects.requireNonNull(
                bed.memory.begin(key, NvmBed.BYTES, false, bed.nowNs).extent());
        bed.memory.publish(copy, bed.nowNs);
        request = new GrantRequest(key, new byte[0], false);
    }

    private String link(Extent extent) {
        if (unlinkable != null) {
            throw unlinkable;
        }
        return extent.key().toString();
    }

    private BlockAccess.Allowed check(BlockKey block, byte[] token) throws BlockAccess.Denied {
        if (denied != null) {
            throw denied;
        }
        return new BlockAccess.Allowed(BlockAccess.NO_END, "user");
    }

    @Test
    void grant_thatFailsInAnUnexpectedWay_isGivenBack() {
        unlinkable = new IllegalArgumentException("as was wanted");
        for (int i = 0; i < 2 * NvmBed.GRANTS; i++) {
            assertThatThrownBy(() -> desk.grant(PEER, request)).isSameAs(unlinkable);
        }
        unlinkable = null;
        assertThat(desk.grant(PEER, request)).isInstanceOf(Grant.class);
    }

    @Test
    void refusal_ofAStrangersText_isShortAndOfOneLine() {
        denied = new BlockAccess.Denied(
                RefusalReason.BAD_TOKEN, "bad\n2026-01-01 INFO all is well\u2028\u001b[2J" + "x".repeat(16_000));
        assertThat(desk.grant(PEER, request)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.reason()).isEqualTo(RefusalReason.BAD_TOKEN);
            assertThat(refusal.message())
                    .startsWith("bad\\u000a2026-01-01 INFO all is well\\u2028\\u001b[2Jxxx")
                    .endsWith("x...")
                    .hasSizeLessThan(300);
        });
    }

    @Test
    void sparingly_letsOneThroughInItsTime_andTellsHowManyItDidNot() {
        Sparingly sparingly = new Sparingly(100);
        assertThat(sparingly.next(-5)).isZero();
        assertThat(sparingly.next(0)).isNull();
        assertThat(sparingly.next(94)).isNull();
        assertThat(sparingly.next(95)).isEqualTo(2);
        assertThat(sparingly.next(194)).isNull();
        assertThat(sparingly.next(1000)).isEqualTo(1);
    }
}
