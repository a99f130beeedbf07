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

    private TcpGrantFixture fixture;

    @BeforeEach
    void start() throws IOException {
        fixture = new TcpGrantFixture(dir, PATIENT);
    }

    @AfterEach
    void stop() throws IOException {
        fixture.close();
    }

    @Test
    void owner_thatFailsWithAnError_costsTheCallAndNotThoseAfterIt() throws Exception {
        try (TcpLink client = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            ask(client, BLOCK);
            say(client, asking(2, BROKEN));
            say(client, asking(3, BLOCK));
            granted(client);
        }
    }

    @Test
    void revoke_whileItsHolderIsGrantedSomethingElse_doesNotWaitForThat() throws Exception {
        try (TcpLink holder = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(holder, BLOCK);
            say(holder, asking(2, SLOW));
            eventually(() -> fixture.slowCalls.get() == 1);
            assertTimeoutPreemptively(
                    Duration.ofNanos(TIMEOUT_NS),
                    () -> fixture.server.revoke(fixture.lastPeer.get(), grant.grantId(), true));
        }
    }

    @Test
    void revoke_whileGrantsOfOthersHang_isCarriedOut_andTheirOwnFollow() throws Exception {
        try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
                TcpLink hanging = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
                TcpLink another = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(honest, BLOCK);
            Peer holder = fixture.lastPeer.get();
            Grant late = ask(hanging, BLOCK);
            Peer latePeer = fixture.lastPeer.get();
            ask(another, BLOCK);
            say(hanging, asking(2, SLOW));
            say(another, asking(2, SLOW));
            eventually(() -> fixture.slowCalls.get() == 2);
            fixture.server.revoke(latePeer, late.grantId(), true);
            fixture.server.revoke(holder, grant.grantId(), true);
            eventually(() -> fixture.released.contains(grant.grantId()));
            assertThat(fixture.released).doesNotContain(late.grantId());
            fixture.slowBlock.countDown();
            eventually(() -> fixture.released.contains(late.grantId()));
        }
    }

    @Test
    void grants_ofOneUserThatHang_keepNobodyElseFromHis_andTheRestOfHisFollow() throws Exception {
        List<TcpLink> greedy = new ArrayList<>();
        try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            for (int i = 0; i < 2 * MOST_HANGING; i++) {
                TcpLink one = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
                greedy.add(one);
                askAs("greedy", one, SLOW);
            }
            eventually(() -> fixture.slowCalls.get() == MOST_HANGING);
            askAs("honest", honest, BLOCK);
            Grant grant = granted(honest);
            fixture.server.revoke(fixture.lastPeer.get(), grant.grantId(), true);
            eventually(() -> fixture.released.contains(grant.grantId()));
            assertThat(fixture.slowCalls.get()).isEqualTo(MOST_HANGING);
            fixture.slowBlock.countDown();
            eventually(() -> fixture.slowCalls.get() == greedy.size());
        } finally {
            for (TcpLink link : greedy) {
                link.close();
            }
        }
    }

    @Test
    void disconnect_whileAGrantHangs_isToldWhenThatIsOver_andOthersAreServed() throws Exception {
        try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            TcpLink hanging = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
            ask(hanging, BLOCK);
            long leaving = fixture.lastPeer.get().session();
            say(hanging, asking(2, SLOW));
            eventually(() -> fixture.slowCalls.get() == 1);
            hanging.close();
            Grant grant = ask(honest, BLOCK);
            fixture.server.revoke(fixture.lastPeer.get(), grant.grantId(), true);
            eventually(() -> fixture.released.contains(grant.grantId()));
            assertThat(fixture.gone).isEmpty();
            fixture.slowBlock.countDown();
            eventually(() -> fixture.gone.contains(leaving));
        }
    }

    @Test
    void tick_thatFailsOnce_isFollowedByOthers() throws Exception {
        fixture.leaseMs = 3_000;
        try (TcpLink link = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            fixture.failingReports.set(1);
            Grant grant = ask(link, BLOCK);
            eventually(() -> fixture.failingReports.get() <= 0);
            eventually(() -> fixture.released.contains(grant.grantId()));
        }
    }

    @Test
    void tick_whoseBroadcastFails_checksClients_andIsFollowedByOthers() throws Exception {
        fixture.leaseMs = 3_000;
        try (TcpLink link = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(link, BLOCK);
            fixture.broadcastFails = true;
            eventually(() -> fixture.failedBroadcasts.get() > 1);
            eventually(() -> fixture.released.contains(grant.grantId()));
        }
    }

    @Test
    void revoke_ofOneGrantTooMany_leavesTheExtentToTheOthers() throws Exception {
        try (TcpLink link = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant one = ask(link, BLOCK);
            say(link, asking(2, BLOCK));
            Grant two = granted(link);
            fixture.server.revoke(fixture.lastPeer.get(), one.grantId(), false);
            eventually(() -> fixture.released.contains(one.grantId()));
            assertThat(fixture.oneSided).containsExactly("ended " + one.linkName());
            fixture.server.revoke(fixture.lastPeer.get(), two.grantId(), true);
            eventually(() -> fixture.released.contains(two.grantId()));
            assertThat(fixture.oneSided)
                    .containsExactly("ended " + one.linkName(), "retired " + two.linkName(), "ended " + two.linkName());
        }
    }
}
