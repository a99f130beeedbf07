package io.terrace.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.Peer;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.nvm.NvmFixture;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierGrantServiceTest {

    private static final Peer PEER = new Peer(5, "user", "", true, "test");

    @TempDir
    Path volume;

    private NvmFixture fixture;
    private TierGrantService grantService;
    private GrantRequest request;

    /** Thrown in place of making a link. */
    private @Nullable RuntimeException unlinkable;

    private TokenVerifier.@Nullable Denied denied;

    @BeforeEach
    void make() throws IOException {
        fixture = new NvmFixture(volume, 10, Runnable::run);
        grantService = new TierGrantService(
                fixture.memory,
                StorageTier.MEMORY,
                this::link,
                this::check,
                new AccessRecorder(fixture.metricRegistry, () -> fixture.nowNs, () -> null),
                (peer, reads, bytes) -> {},
                fixture.metricRegistry,
                () -> fixture.nowNs);
        BlockKey key = fixture.replica(1);
        Extent copy = Objects.requireNonNull(fixture.memory
                .begin(key, NvmFixture.BYTES, false, fixture.nowNs)
                .extent());
        fixture.memory.publish(copy, fixture.nowNs);
        request = new GrantRequest(key, new byte[0], false);
    }

    private String link(Extent extent) {
        if (unlinkable != null) {
            throw unlinkable;
        }
        return extent.key().toString();
    }

    private TokenVerifier.Allowed check(BlockKey block, byte[] token) throws TokenVerifier.Denied {
        if (denied != null) {
            throw denied;
        }
        return new TokenVerifier.Allowed(TokenVerifier.NO_END, "user");
    }

    @Test
    void grant_thatFailsInAnUnexpectedWay_isGivenBack() {
        unlinkable = new IllegalArgumentException("as was wanted");
        for (int i = 0; i < 2 * NvmFixture.GRANTS; i++) {
            assertThatThrownBy(() -> grantService.grant(PEER, request)).isSameAs(unlinkable);
        }
        unlinkable = null;
        assertThat(grantService.grant(PEER, request)).isInstanceOf(Grant.class);
    }

    @Test
    void refusal_ofUntrustedText_isShortAndOfOneLine() {
        denied = new TokenVerifier.Denied(
                RefusalReason.BAD_TOKEN, "bad\n2026-01-01 INFO all is well\u2028\u001b[2J" + "x".repeat(16_000));
        assertThat(grantService.grant(PEER, request)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.reason()).isEqualTo(RefusalReason.BAD_TOKEN);
            assertThat(refusal.message())
                    .startsWith("bad\\u000a2026-01-01 INFO all is well\\u2028\\u001b[2Jxxx")
                    .endsWith("x...")
                    .hasSizeLessThan(300);
        });
    }

    /** Stock's log of who reads what has a line for each descriptor that is passed. */
    @Test
    void grant_leavesALineInStocksTraceOfClients_andRefusalsAndReadsNone() {
        StringWriter trace = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), trace);
        Logger.getLogger(GrantAuditLog.NAME).addAppender(appender);
        try {
            Peer otherPeer = new Peer(6, "user", "", true, "bad\n2026-01-01 INFO all is well");
            Grant grant = (Grant) grantService.grant(otherPeer, request);
            grantService.reported(otherPeer, List.of(new ReadReport(grant.grantId(), 1, 10)));
            denied = new TokenVerifier.Denied(RefusalReason.BAD_TOKEN, "bad");
            assertThat(grantService.grant(PEER, request)).isInstanceOf(Refusal.class);
        } finally {
            Logger.getLogger(GrantAuditLog.NAME).removeAppender(appender);
        }
        assertThat(trace.toString().strip().lines())
                .singleElement()
                .asString()
                .contains("INFO op: TERRACE_GRANT, cliID: bad\\u000a2026-01-01 INFO all is well, user: user, tokenUser:"
                        + " user")
                .endsWith("blockid: " + request.block().blockId());
    }
}
