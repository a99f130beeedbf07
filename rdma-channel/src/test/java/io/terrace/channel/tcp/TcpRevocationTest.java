package io.terrace.channel.tcp;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static io.terrace.channel.server.TcpGrantFixture.BROKEN;
import static io.terrace.channel.server.TcpGrantFixture.PATIENT;
import static io.terrace.channel.server.TcpGrantFixture.SLOW;
import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static io.terrace.channel.server.TcpGrantFixture.ask;
import static io.terrace.channel.server.TcpGrantFixture.askAs;
import static io.terrace.channel.server.TcpGrantFixture.asking;
import static io.terrace.channel.server.TcpGrantFixture.eventually;
import static io.terrace.channel.server.TcpGrantFixture.granted;
import static io.terrace.channel.server.TcpGrantFixture.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.channel.Grant;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.TcpGrantFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Owners that hang or fail amid a client's call, and what other clients and other grants notice of it: nothing. */
final class TcpRevocationTest {
    /** Half of those that may be made at one time. */
    private static final int MOST_HANGING = 8;

    @TempDir
    Path dir;

    private TcpGrantFixture bed;

    @BeforeEach
    void start() throws IOException {
        bed = new TcpGrantFixture(dir, PATIENT);
    }

    @AfterEach
    void stop() throws IOException {
        bed.close();
    }

    @Test
    void owner_thatFailsWithAnError_costsTheCallAndNotThoseAfterIt() throws Exception {
        try (TcpLink client = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            ask(client, BLOCK);
            say(client, asking(2, BROKEN));
            say(client, asking(3, BLOCK));
            granted(client);
        }
    }

    @Test
    void revoke_whileItsHolderIsGrantedSomethingElse_doesNotWaitForThat() throws Exception {
        try (TcpLink holder = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(holder, BLOCK);
            say(holder, asking(2, SLOW));
            eventually(() -> bed.slowCalls.get() == 1);
            assertTimeoutPreemptively(
                    Duration.ofNanos(TIMEOUT_NS), () -> bed.server.revoke(bed.lastPeer.get(), grant.grantId(), true));
        }
    }

    @Test
    void revoke_whileGrantsOfOthersHang_isCarriedOut_andTheirOwnFollow() throws Exception {
        try (TcpLink honest = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS);
                TcpLink hanging = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS);
                TcpLink another = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(honest, BLOCK);
            Peer holder = bed.lastPeer.get();
            Grant late = ask(hanging, BLOCK);
            Peer latePeer = bed.lastPeer.get();
            ask(another, BLOCK);
            say(hanging, asking(2, SLOW));
            say(another, asking(2, SLOW));
            eventually(() -> bed.slowCalls.get() == 2);
            bed.server.revoke(latePeer, late.grantId(), true);
            bed.server.revoke(holder, grant.grantId(), true);
            eventually(() -> bed.released.contains(grant.grantId()));
            assertThat(bed.released).doesNotContain(late.grantId());
            bed.slowBlock.countDown();
            eventually(() -> bed.released.contains(late.grantId()));
        }
    }

    @Test
    void grants_ofOneUserThatHang_keepNobodyElseFromHis_andTheRestOfHisFollow() throws Exception {
        List<TcpLink> greedy = new ArrayList<>();
        try (TcpLink honest = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            for (int i = 0; i < 2 * MOST_HANGING; i++) {
                TcpLink one = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS);
                greedy.add(one);
                askAs("greedy", one, SLOW);
            }
            eventually(() -> bed.slowCalls.get() == MOST_HANGING);
            askAs("honest", honest, BLOCK);
            Grant grant = granted(honest);
            bed.server.revoke(bed.lastPeer.get(), grant.grantId(), true);
            eventually(() -> bed.released.contains(grant.grantId()));
            assertThat(bed.slowCalls.get()).isEqualTo(MOST_HANGING);
            bed.slowBlock.countDown();
            eventually(() -> bed.slowCalls.get() == greedy.size());
        } finally {
            for (TcpLink link : greedy) {
                link.close();
            }
        }
    }

    @Test
    void disconnect_whileAGrantHangs_isToldWhenThatIsOver_andOthersAreServed() throws Exception {
        try (TcpLink honest = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            TcpLink hanging = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS);
            ask(hanging, BLOCK);
            long leaving = bed.lastPeer.get().session();
            say(hanging, asking(2, SLOW));
            eventually(() -> bed.slowCalls.get() == 1);
            hanging.close();
            Grant grant = ask(honest, BLOCK);
            bed.server.revoke(bed.lastPeer.get(), grant.grantId(), true);
            eventually(() -> bed.released.contains(grant.grantId()));
            assertThat(bed.gone).isEmpty();
            bed.slowBlock.countDown();
            eventually(() -> bed.gone.contains(leaving));
        }
    }

    @Test
    void tick_thatFailsOnce_isFollowedByOthers() throws Exception {
        bed.leaseMs = 3_000;
        try (TcpLink link = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            bed.failingReports.set(1);
            Grant grant = ask(link, BLOCK);
            eventually(() -> bed.failingReports.get() <= 0);
            eventually(() -> bed.released.contains(grant.grantId()));
        }
    }

    @Test
    void tick_whoseNewsFail_looksAfterClients_andIsFollowedByOthers() throws Exception {
        bed.leaseMs = 3_000;
        try (TcpLink link = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(link, BLOCK);
            bed.newsFail = true;
            eventually(() -> bed.newsFailed.get() > 1);
            eventually(() -> bed.released.contains(grant.grantId()));
        }
    }

    @Test
    void revoke_ofOneGrantTooMany_leavesTheExtentToTheOthers() throws Exception {
        try (TcpLink link = TcpLink.connect(bed.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant one = ask(link, BLOCK);
            say(link, asking(2, BLOCK));
            Grant two = granted(link);
            bed.server.revoke(bed.lastPeer.get(), one.grantId(), false);
            eventually(() -> bed.released.contains(one.grantId()));
            assertThat(bed.oneSided).containsExactly("ended " + one.linkName());
            bed.server.revoke(bed.lastPeer.get(), two.grantId(), true);
            eventually(() -> bed.released.contains(two.grantId()));
            assertThat(bed.oneSided)
                    .containsExactly("ended " + one.linkName(), "retired " + two.linkName(), "ended " + two.linkName());
        }
    }
}
