package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Users whose names take long, and what others notice of them. */
@Timeout(60)
final class PeerCredentialsTest {
    private static final UnixDomainPrincipal SOMEBODY = new UnixDomainPrincipal(() -> "user", () -> "group");

    private final Set<SocketChannel> known = ConcurrentHashMap.newKeySet();
    private final CountDownLatch answer = new CountDownLatch(1);

    private static SocketChannel channel() throws IOException {
        return SocketChannel.open(StandardProtocolFamily.UNIX);
    }

    @Test
    void nameThatTakesLong_keepsNoOtherWaiting_andEndsWithTheServer() throws Exception {
        SocketChannel slow = channel();
        SocketChannel other = channel();
        PeerCredentials credentials =
                new PeerCredentials(DaemonThreads.named("users"), 2, channel -> ofAll(channel, slow), this::isKnown);
        assertThat(credentials.ask(slow)).isTrue();
        assertThat(credentials.ask(other)).isTrue();
        await().until(() -> known.contains(other));
        assertThat(credentials.take(other)).isTrue();
        assertThat(credentials.take(other)).as("twice").isFalse();
        assertThat(known).doesNotContain(slow);

        credentials.close();
        assertThat(slow.isOpen()).isFalse();
        assertThat(other.isOpen()).isTrue();
        other.close();
    }

    @Test
    void processOutOfThreads_leavesTheChannelToItsOwner() throws Exception {
        PeerCredentials credentials = new PeerCredentials(
                work -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                1,
                channel -> SOMEBODY,
                this::isKnown);
        try (SocketChannel channel = channel()) {
            assertThat(credentials.ask(channel)).isFalse();
            assertThat(credentials.take(channel)).as("it waits no more").isFalse();
        }
        credentials.close();
    }

    @Test
    void moreThanMayWait_areRefused_andWhoHasNoNameIsClosed() throws Exception {
        PeerCredentials credentials = new PeerCredentials(
                DaemonThreads.named("users"),
                1,
                channel -> {
                    awaitAnswer();
                    throw new IOException("no such user");
                },
                this::isKnown);
        SocketChannel first = channel();
        assertThat(credentials.ask(first)).isTrue();
        boolean refused = false;
        for (int i = 0; i < 5; i++) {
            SocketChannel next = channel();
            if (!credentials.ask(next)) {
                refused = true;
                next.close();
            }
        }
        assertThat(refused).isTrue();
        answer.countDown();
        await().until(() -> !first.isOpen());
        assertThat(known).isEmpty();
        credentials.close();
    }

    private void isKnown(SocketChannel channel, UnixDomainPrincipal who) {
        known.add(channel);
    }

    private UnixDomainPrincipal ofAll(SocketChannel channel, SocketChannel slow) throws IOException {
        if (channel == slow) {
            awaitAnswer();
        }
        return SOMEBODY;
    }

    private void awaitAnswer() throws IOException {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
