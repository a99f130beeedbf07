package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a socket is tried again at which no DataNode welcomed a client. */
final class LinkAttemptsTest {
    private static final LinkAttempts.Fault REFUSED = LinkAttempts.Fault.of(new IOException("refused"));
    private static final LinkAttempts.Fault SILENT = LinkAttempts.Fault.of(new SocketTimeoutException("no welcome"));
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    Path dir;

    private final LinkAttempts attempts = new LinkAttempts(FIRST_NS);
    private Path socket;

    @BeforeEach
    void make() throws IOException {
        socket = Files.createFile(dir.resolve("dn.sock"));
    }

    /** The pause after an attempt that failed then. */
    private long pauseNs(long nowNs) {
        return pauseNs(REFUSED, nowNs);
    }

    private long pauseNs(LinkAttempts.Fault fault, long nowNs) {
        attempts.ended(socket, fault, nowNs);
        long pauseNs = 0;
        while (!attempts.mayTry(socket, nowNs + pauseNs)) {
            pauseNs += FIRST_NS;
        }
        return pauseNs;
    }

    @Test
    void pauses_doubleUpToAMinute() {
        assertThat(attempts.mayTry(socket, 0)).isTrue();
        long nowNs = 0;
        for (long expectedNs = FIRST_NS; expectedNs < LONGEST_NS; expectedNs *= 2) {
            long pauseNs = pauseNs(nowNs);
            assertThat(pauseNs).isEqualTo(expectedNs);
            nowNs += pauseNs;
        }
        nowNs += pauseNs(nowNs);
        assertThat(pauseNs(nowNs)).isEqualTo(LONGEST_NS);
    }

    /** A DataNode that stood still goes on with the same socket. */
    @Test
    void pauses_ofOneThatDoesNotAnswer_areShort() {
        long nowNs = 0;
        for (int i = 0; i < 6; i++) {
            nowNs += pauseNs(SILENT, nowNs);
        }
        assertThat(pauseNs(SILENT, nowNs)).isEqualTo(8 * FIRST_NS);
    }

    @Test
    void welcome_endsThePauses() {
        pauseNs(pauseNs(0));
        attempts.ended(socket, null, 10 * FIRST_NS);
        assertThat(attempts.mayTry(socket, 10 * FIRST_NS)).isTrue();
        assertThat(pauseNs(10 * FIRST_NS)).isEqualTo(FIRST_NS);
    }

    @Test
    void socketThatIsMadeAnew_isTriedAtOnce_andItsPausesBeginAnew() throws IOException {
        pauseNs(pauseNs(0));
        attempts.ended(socket, REFUSED, 10 * FIRST_NS);
        assertThat(attempts.mayTry(socket, 10 * FIRST_NS)).isFalse();
        Files.setLastModifiedTime(socket, FileTime.fromMillis(5));
        assertThat(attempts.mayTry(socket, 10 * FIRST_NS)).isTrue();
        assertThat(pauseNs(10 * FIRST_NS)).isEqualTo(FIRST_NS);
    }

    @Test
    void socketThatIsGone_isForgotten() {
        attempts.ended(socket, REFUSED, 0);
        attempts.retain(List.of(dir.resolve("other.sock")));
        assertThat(attempts.mayTry(socket, 0)).isTrue();
    }
}
