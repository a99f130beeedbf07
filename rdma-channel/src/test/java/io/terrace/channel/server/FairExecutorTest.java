package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Who begins while others have not ended: what is begun within a turn begins while that lasts. */
final class FairExecutorTest {
    private static final int MOST = 8;
    private static final Principal GREEDY = Principal.onAnotherHost("greedy");
    private static final Principal HONEST = Principal.onAnotherHost("honest");

    /** What waits for a worker; the test is all workers. */
    private final Deque<Runnable> workers = new ArrayDeque<>();

    private final List<String> begun = new ArrayList<>();
    private final FairExecutor turns = new FairExecutor(MOST, MOST, workers::add);

    /** Within so many turns of one user. */
    private void within(int count, Principal principal, Runnable then) {
        if (count == 0) {
            then.run();
        } else {
            assertThat(turns.run(principal, () -> within(count - 1, principal, then)))
                    .isTrue();
        }
    }

    private void begin(Principal principal, String what) {
        assertThat(turns.run(principal, () -> begun.add(what))).isTrue();
    }

    private void work() {
        while (!workers.isEmpty()) {
            workers.remove().run();
        }
    }

    @Test
    void turnsOfOneUser_areHalf_andThoseOfOthersBeginAtOnce() {
        within(MOST / 2, GREEDY, () -> {
            begin(GREEDY, "one too many");
            assertThat(begun).isEmpty();
            within(MOST / 4, HONEST, () -> {
                begin(HONEST, "of the honest");
                assertThat(begun).isEmpty();
                begin(Principal.UNKNOWN, "of a third");
                assertThat(begun).containsExactly("of a third");
            });
        });
        work();
        assertThat(begun).containsExactly("of a third", "of the honest", "one too many");
    }

    @Test
    void turnsOfAll_areAll_whereBlockTokensAreOff() {
        within(MOST, Principal.UNKNOWN, () -> {
            for (int i = 0; i < MOST; i++) {
                begin(Principal.UNKNOWN, "waits");
            }
            assertThat(begun).isEmpty();
            assertThat(turns.run(Principal.UNKNOWN, () -> begun.add("too many")))
                    .isFalse();
        });
        work();
        assertThat(begun).hasSize(MOST).containsOnly("waits");
        within(MOST, Principal.UNKNOWN, () -> begun.add("as many as before"));
        assertThat(begun).contains("as many as before");
    }

    @Test
    void turnsOfWhoShowNoGoodToken_areHalf() {
        within(MOST / 2, Principal.UNPROVEN, () -> {
            begin(Principal.UNPROVEN, "one too many");
            assertThat(begun).isEmpty();
            begin(HONEST, "of the honest");
        });
        work();
        assertThat(begun).containsExactly("of the honest", "one too many");
    }

    @Test
    void turnsThatWait_beginInTheirOrder_asOthersEnd() {
        within(MOST / 2, GREEDY, () -> {
            begin(GREEDY, "first");
            begin(GREEDY, "second");
            assertThat(workers).isEmpty();
        });
        work();
        assertThat(begun).containsExactly("first", "second");
        within(MOST / 2, GREEDY, () -> begun.add("as many as before"));
        assertThat(begun).contains("as many as before");
    }

    @Test
    void turnsThatWait_areBounded_andThoseOfOneUserLeaveRoomForOthers() {
        within(
                MOST / 2,
                GREEDY,
                () -> within(MOST / 4, HONEST, () -> {
                    for (int i = 0; i < MOST / 2; i++) {
                        begin(GREEDY, "waits");
                    }
                    assertThat(turns.run(GREEDY, () -> begun.add("too many"))).isFalse();
                    begin(HONEST, "waits");
                }));
        work();
        assertThat(begun).hasSize(MOST / 2 + 1).containsOnly("waits");
    }

    @Test
    void turn_thatFails_isOver() {
        for (int i = 0; i < MOST; i++) {
            assertThatThrownBy(() -> turns.run(GREEDY, () -> {
                        throw new OutOfMemoryError("as was wanted");
                    }))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        within(MOST / 2, GREEDY, () -> begun.add("as many as before"));
        assertThat(begun).hasSize(1);
    }

    @Test
    void turnsThatWait_whenThereAreNoWorkersAnyMore_areTakenByWhoEnds() {
        FairExecutor closing = new FairExecutor(2, 2, work -> {
            throw new RejectedExecutionException("closed");
        });
        boolean unused = closing.run(GREEDY, () -> assertThat(closing.run(GREEDY, () -> begun.add("late")))
                .isTrue());
        assertThat(begun).containsExactly("late");
    }
}
