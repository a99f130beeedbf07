package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** In which order the calls of one client run, and when its input waits. */
final class SerialExecutorTest {
    /** What waits for a worker; the test is all workers. */
    private final Deque<Runnable> workers = new ArrayDeque<>();

    private final List<String> ran = new ArrayList<>();
    private final FakeSession session = new FakeSession(workers::add, SerialExecutor.MOST_WAITING);
    private final SerialExecutor serialExecutor = session.calls;

    /** Knows whether its input is taken. */
    private static final class FakeSession extends GrantDispatcher.Session {
        boolean takesInput = true;
        boolean closed;

        FakeSession(Executor workers, int mostCalls) {
            super(workers, mostCalls);
        }

        @Override
        Peer peer() {
            return new Peer(1, "user", "", false, "test");
        }

        @Override
        void send(Message message) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        void pauseInput() {
            takesInput = false;
        }

        @Override
        void resumeInput() {
            takesInput = true;
        }

        @Override
        void close() {
            closed = true;
        }
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
            assertThat(session.takesInput).isTrue();
            serialExecutor.add(() -> ran.add("large"), SerialExecutor.MOST_WAITING_BYTES / 4);
        }
        assertThat(session.takesInput).isFalse();
        runAll();
        assertThat(session.takesInput).isTrue();
        assertThat(ran).hasSize(4);
    }

    @Test
    void input_waitsForEachCall_whereOneMayWait() {
        FakeSession oneByOne = new FakeSession(workers::add, 1);
        for (int i = 0; i < 3; i++) {
            oneByOne.calls.add(() -> ran.add("call"), 1);
            assertThat(oneByOne.takesInput).isFalse();
            runAll();
            assertThat(oneByOne.takesInput).isTrue();
        }
        assertThat(ran).hasSize(3);
    }

    @Test
    void end_dropsTheCallsThatWait_andComesAfterTheOneThatRuns() {
        serialExecutor.add(
                () -> {
                    serialExecutor.end(() -> ran.add("end"));
                    ran.add("call");
                },
                1);
        serialExecutor.add(() -> ran.add("dropped"), 1);
        runAll();
        assertThat(ran).containsExactly("call", "end");
    }

    @Test
    void call_thatCannotHaveItsTurn_closesTheSession() {
        serialExecutor.add(
                new SerialExecutor.Call() {
                    @Override
                    public void run() {
                        ran.add("never");
                    }

                    @Override
                    public void whenNext(Runnable turn) {
                        throw new InternalError("as was wanted");
                    }
                },
                1);
        runAll();
        assertThat(session.closed).isTrue();
        assertThat(ran).isEmpty();
    }

    private void runAll() {
        while (!workers.isEmpty()) {
            workers.remove().run();
        }
    }
}
