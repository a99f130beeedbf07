package io.terrace.bench.simulation.kernel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One process of the operating system: a DataNode, a NameNode, a client. Its scheduled events wait while it is stopped
 * (SIGSTOP, a long garbage collection) and are dropped once it is dead. Its monotonic clock has its own origin.
 */
public final class OsProcess {

    /** Thrown out of I/O that a process began before it died, to unwind the stack of the dead process. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1;

        Killed(String name) {
            super(name + " was killed", null, false, false);
        }
    }

    private static final long STOP_POLL_NS = 5_000_000;

    private final Scheduler scheduler;
    private final String name;
    private final long clockOriginNs;
    private final ArrayDeque<Runnable> frozen = new ArrayDeque<>();
    private final List<Runnable> atDeath = new ArrayList<>();
    private boolean alive = true;
    private boolean stopped;
    private long resumedNs = Long.MIN_VALUE;
    private int blocked;
    private int descriptors;

    public OsProcess(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
        // A monotonic clock may have any origin, also one from which it wraps around during the run.
        this.clockOriginNs = scheduler.oneIn(4)
                ? Long.MAX_VALUE - scheduler.between(0, 20_000_000_000L)
                : scheduler.random().nextLong() >> 2;
    }

    public String name() {
        return name;
    }

    /** What {@code System.nanoTime()} would answer in it. */
    public long nanoTime() {
        return clockOriginNs + scheduler.nowNs();
    }

    public boolean isAlive() {
        return alive;
    }

    public boolean isStopped() {
        return stopped;
    }

    public void after(long delayNs, String what, Runnable action) {
        scheduler.after(delayNs, what, () -> run(action));
    }

    /** Runs the action again and again until the process dies. */
    public void every(long periodNs, String what, Runnable action) {
        after(periodNs, what, () -> {
            action.run();
            every(periodNs, what, action);
        });
    }

    private void run(Runnable action) {
        if (!alive) {
            return;
        }
        if (stopped) {
            frozen.add(action);
            return;
        }
        try {
            action.run();
        } catch (Killed e) {
            if (alive) {
                throw e;
            }
        }
    }

    public void stop() {
        stopped = true;
        say("stopped");
    }

    public void resume() {
        if (!alive || !stopped) {
            return;
        }
        stopped = false;
        resumedNs = scheduler.nowNs();
        say("goes on");
        while (!frozen.isEmpty()) {
            after(0, "thaw", frozen.poll());
        }
    }

    /** What the kernel does when the process dies. */
    void atDeath(Runnable action) {
        atDeath.add(action);
    }

    public void kill() {
        if (alive) {
            alive = false;
            frozen.clear();
            say("died");
            atDeath.forEach(Runnable::run);
        }
    }

    /**
     * I/O takes time, during which other events run. It does not return into a process that died meanwhile, and into a
     * stopped one only after it resumes.
     */
    public void blockFor(long durationNs) {
        checkAlive();
        blocked++;
        try {
            scheduler.pause(durationNs);
            while (stopped && alive && scheduler.canPause()) {
                scheduler.pause(STOP_POLL_NS);
            }
        } finally {
            blocked--;
        }
        checkAlive();
    }

    /** Whether it was stopped at some time since, in the scheduler's time. */
    public boolean stoodStillSince(long sinceNs) {
        return stopped || resumedNs >= sinceNs;
    }

    /** Whether one of its threads is doing I/O. */
    public boolean isBlocked() {
        return blocked > 0;
    }

    void descriptorOpened() {
        descriptors++;
    }

    void descriptorClosed() {
        descriptors--;
    }

    /** Files that it has open. */
    public int descriptors() {
        return descriptors;
    }

    public void checkAlive() {
        if (!alive) {
            throw new Killed(name);
        }
    }

    public void say(String format, Object... arguments) {
        scheduler.log().say(scheduler.nowNs(), name, format, arguments);
    }
}
