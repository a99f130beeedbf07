package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.tcp.server.ReceivedMessages;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In which order the calls of one client run, and when its input waits. */
final class SerialExecutorTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    /** What waits for a worker; the test is all workers. */
    private final Deque<Runnable> workers = new ArrayDeque<>();

    private final List<String> ran = new ArrayList<>();
    private final ReceivedMessages received = new ReceivedMessages();
    private TcpListener listener;
    private TcpLink link;
    private TcpSession session;
    private SerialExecutor serialExecutor;

    @BeforeEach
    void start() throws Exception {
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = TcpListener.open(anywhere, TcpLimits.DEFAULT, received);
        link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, TIMEOUT_NS);
        link.send(ByteBuffer.allocate(1), TIMEOUT_NS);
        session = Objects.requireNonNull(received.nextSession(TIMEOUT_NS));
        serialExecutor = new SerialExecutor(workers::add, session);
    }

    @AfterEach
    void stop() throws IOException {
        link.close();
        listener.close();
    }

    @Test
    void calls_runInTheirOrder_oneWorkerAtATime() {
        serialExecutor.add(() -> ran.add("first"), 1);
        serialExecutor.add(() -> ran.add("second"), 1);
        assertThat(workers).hasSize(1);
        workers.remove().run();
        assertThat(ran).containsExactly("first");
        workers.remove().run();
        assertThat(ran).containsExactly("first", "second");
        assertThat(workers).isEmpty();
    }

    @Test
    void ownWork_whileACallWaitsForAWorker_isDoneAtOnce() {
        serialExecutor.add(() -> ran.add("call"), 1);
        serialExecutor.runSoon(() -> ran.add("own"));
        assertThat(ran).containsExactly("own");
        workers.remove().run();
        assertThat(ran).containsExactly("own", "call");
    }

    @Test
    void ownWork_whileACallRuns_comesBeforeTheNext() {
        serialExecutor.add(
                () -> {
                    serialExecutor.add(() -> ran.add("next"), 1);
                    serialExecutor.runSoon(() -> ran.add("own"));
                    ran.add("call");
                },
                1);
        workers.remove().run();
        assertThat(ran).containsExactly("call", "own");
        workers.remove().run();
        assertThat(ran).containsExactly("call", "own", "next");
    }

    @Test
    void call_whoseTurnIsKeptBack_keepsThoseBehindIt_andNotTheServersOwnWork() {
        AtomicReference<Runnable> kept = new AtomicReference<>();
        serialExecutor.add(
                new SerialExecutor.Call() {
                    @Override
                    public void run() {
                        ran.add("kept back");
                    }

                    @Override
                    public void whenNext(Runnable turn) {
                        kept.set(turn);
                    }
                },
                1);
        serialExecutor.add(() -> ran.add("behind"), 1);
        workers.remove().run();
        serialExecutor.runSoon(() -> ran.add("own"));
        assertThat(workers).isEmpty();
        assertThat(ran).containsExactly("own");
        kept.get().run();
        workers.remove().run();
        assertThat(ran).containsExactly("own", "kept back", "behind");
    }

    @Test
    void work_thatEndsInAnError_isFollowedByWhatCameAfterIt() {
        serialExecutor.runSoon(() -> {
            throw new InternalError("as was wanted");
        });
        serialExecutor.add(() -> ran.add("call"), 1);
        workers.remove().run();
        assertThat(ran).containsExactly("call");
    }

    @Test
    void input_waitsWhileManyBytesDo() {
        for (int i = 0; i < 4; i++) {
            assertThat(session.takesInput()).isTrue();
            serialExecutor.add(() -> ran.add("large"), SerialExecutor.MOST_WAITING_BYTES / 4);
        }
        assertThat(session.takesInput()).isFalse();
        while (!workers.isEmpty()) {
            workers.remove().run();
        }
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!session.takesInput()) {
            assertThat(System.nanoTime() - deadlineNs).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(ran).hasSize(4);
    }
}
