package io.terrace.bench.writefaults;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.faults.Link;
import io.terrace.bench.faults.SystemCommand;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.writefaults.WriteFaultPlan.Injection;
import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;

/** Makes the faults of a run, and ends those that last for a while. */
final class Injector implements Closeable {
    private interface Action {
        void run() throws IOException;
    }

    private final FaultCluster faults;
    private final Process writer;
    private final Path path;
    private final ScheduledExecutorService timer =
            Executors.newScheduledThreadPool(2, DaemonThreads.named("write-faults"));
    private final List<Future<?>> ends = new ArrayList<>();

    Injector(FaultCluster faults, Process writer, Path path) {
        this.faults = faults;
        this.writer = writer;
        this.path = path;
    }

    /** @param pipeline numbers of DataNodes, in their order; empty before the first block */
    void inject(Injection injection, List<Integer> pipeline) throws IOException {
        int victim = pipeline.isEmpty() ? injection.place() + 1 : pipeline.get(injection.place() % pipeline.size());
        Daemon datanode = faults.cluster().datanode(victim);
        Daemon namenode = faults.cluster().namenode();
        switch (injection.fault()) {
            case NONE -> {}
                // A destroyed process would take what it has said along.
            case KILL_CLIENT -> SystemCommand.signal(writer.toHandle(), "KILL");
            case STOP_CLIENT -> {
                SystemCommand.signal(writer.toHandle(), "STOP");
                later(injection, () -> SystemCommand.signal(writer.toHandle(), "CONT"));
            }
            case TAKE_LEASE -> later(0, () -> takeLease(injection.lastsMs()));
            case KILL_DATANODE -> {
                datanode.kill();
                later(injection, () -> faults.restart(datanode));
            }
            case STOP_DATANODE -> {
                faults.signal(datanode, "STOP");
                later(injection, () -> faults.signal(datanode, "CONT"));
            }
            case KILL_NAMENODE -> {
                namenode.kill();
                later(injection, () -> faults.restart(namenode));
            }
            case STOP_NAMENODE -> {
                faults.signal(namenode, "STOP");
                later(injection, () -> faults.signal(namenode, "CONT"));
            }
            case CUT_LINK -> link(injection, victim, Link.State.CUT);
            case STALL_LINK -> link(injection, victim, Link.State.STALLED);
            case SLOW_LINK -> link(injection, victim, Link.State.SLOW);
            case FULL_VOLUME -> {
                faults.volumes().fill(victim);
                later(injection, () -> faults.volumes().empty(victim));
            }
        }
    }

    private void link(Injection injection, int victim, Link.State state) {
        faults.setLinksTo(victim, state);
        later(injection, () -> faults.setLinksTo(victim, Link.State.OPEN));
    }

    private void takeLease(long forMs) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
        while (!faults.fs().recoverLease(path) && System.nanoTime() - deadlineNs < 0) {
            Waits.pause(100);
        }
    }

    private void later(Injection injection, Action action) {
        later(injection.lastsMs(), action);
    }

    private void later(long delayMs, Action action) {
        ends.add(timer.schedule(
                () -> {
                    action.run();
                    return true;
                },
                delayMs,
                TimeUnit.MILLISECONDS));
    }

    /** Waits until all faults have ended. */
    @Override
    public void close() throws IOException {
        timer.shutdown();
        for (Future<?> end : ends) {
            try {
                end.get();
            } catch (ExecutionException e) {
                throw new IOException("a fault could not be ended", e.getCause());
            } catch (InterruptedException e) {
                throw Waits.interrupted(e);
            }
        }
    }
}
