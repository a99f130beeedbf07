package io.terrace.bench.simulation.kernel;

import java.util.PriorityQueue;
import java.util.Random;

/**
 * Virtual time and the one source of chance of a seed. Events run one after the other in the order of their times; after
 * each of them the invariants are checked.
 *
 * <p>Code under simulation that does I/O calls {@link #pause} from within it: the events that are due meanwhile run
 * inside that call, as other threads and processes would run beside it. So a single thread interleaves synchronous code,
 * with the one restriction that what began inside a pause ends before the pause does.
 */
public final class Scheduler {

    /** Depth of I/O within I/O. Deeper pauses only advance time, to bound recursion. */
    private static final int MOST_NESTED = 3;

    private record Event(long atNs, long number, String what, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNs, other.atNs);
            return byTime == 0 ? Long.compare(number, other.number) : byTime;
        }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final long seed;
    private final Random random;
    private final EventLog log;
    private Runnable afterEach = () -> {};
    private long nowNs;
    private long events;
    private int nested;

    public Scheduler(long seed, EventLog log) {
        this.seed = seed;
        this.random = spread(seed);
        this.log = log;
    }

    /** Consecutive seeds give similar first numbers. A multiplication by a large odd number spreads them. */
    private static Random spread(long seed) {
        return new Random(seed * 0x9E3779B97F4A7C15L);
    }

    /** Chance of its own for one purpose: what is drawn from it changes nothing of what {@link #random} draws. */
    public Random randomFor(String purpose) {
        return spread(seed ^ ((long) purpose.hashCode() << 32));
    }

    public void checkAfterEach(Runnable check) {
        afterEach = check;
    }

    public Random random() {
        return random;
    }

    public EventLog log() {
        return log;
    }

    /** Virtual nanoseconds since the seed's beginning. */
    public long nowNs() {
        return nowNs;
    }

    public long events() {
        return events;
    }

    /** True once in {@code times} on average. */
    public boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** A uniform random number between both, inclusive. */
    public long between(long least, long most) {
        return least + (long) (random.nextDouble() * (most - least + 1));
    }

    public void after(long delayNs, String what, Runnable action) {
        queue.add(new Event(nowNs + Math.max(0, delayNs), events++, what, action));
    }

    /** Runs all events up to that time. */
    public void runUntil(long untilNs) {
        for (Event next = queue.peek(); next != null && next.atNs() <= untilNs; next = queue.peek()) {
            boolean unused = runNext();
        }
        nowNs = Math.max(nowNs, untilNs);
    }

    /** Runs the next event, whenever it is; false when there is none. */
    public boolean runNext() {
        Event next = queue.poll();
        if (next == null) {
            return false;
        }
        nowNs = Math.max(nowNs, next.atNs());
        log.step(nowNs, next.what());
        next.action().run();
        afterEach.run();
        return true;
    }

    /** Whether other events may run during a pause now. */
    boolean canPause() {
        return nested < MOST_NESTED;
    }

    /** Lets time pass inside an event; other events run meanwhile. */
    void pause(long durationNs) {
        long untilNs = nowNs + durationNs;
        if (!canPause()) {
            nowNs = untilNs;
            return;
        }
        nested++;
        try {
            runUntil(untilNs);
        } finally {
            nested--;
        }
    }
}
