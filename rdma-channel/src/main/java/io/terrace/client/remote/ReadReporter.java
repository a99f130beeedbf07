package io.terrace.client.remote;

import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to a DataNode what was read of its memory by RDMA, which it cannot see and counts as heat. One message goes
 * out a second after the first read that is not reported, for all reads until then. A reader pays for a look at a
 * flag. Thread-safe.
 */
final class ReadReporter {
    /** From the first read that was not told to the report of it. */
    static final long DELAY_NS = TimeUnit.SECONDS.toNanos(1);

    /** Reports of grants that are gone, at most. */
    private static final int MOST_LEFT = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ReadReporter.class);

    interface Sender {
        void send(List<ReadReport> reports) throws IOException;
    }

    /** Runs something later, on a thread of its own. */
    interface Later {
        void run(Runnable work, long delayNs);
    }

    private final Sender sender;
    private final Later later;
    private final Map<Long, VerbsFirstExtent> regions = new ConcurrentHashMap<>();
    private final Queue<ReadReport> left = new ArrayDeque<>();
    private final AtomicBoolean waiting = new AtomicBoolean();

    ReadReporter(Sender sender, Later later) {
        this.sender = sender;
        this.later = later;
    }

    /** The reports of a process, on one thread that ends when there is nothing to tell. */
    static Later onTimer() {
        return Timer::run;
    }

    /** Reads through a grant are told from now on. */
    void add(long grantId, VerbsFirstExtent region) {
        regions.put(grantId, region);
    }

    /** The grant is used for nothing new; what was read through it is told with the next report. */
    void remove(long grantId) {
        VerbsFirstExtent region = regions.remove(grantId);
        ReadReport report = region == null ? null : region.takeReport(grantId);
        if (report != null) {
            synchronized (left) {
                if (left.size() < MOST_LEFT) {
                    left.add(report);
                }
            }
            wasRead();
        }
    }

    /** Something was read: there will be a report. */
    void wasRead() {
        if (!waiting.get() && waiting.compareAndSet(false, true)) {
            try {
                later.run(this::report, DELAY_NS);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // Out of threads for a while; the next read tries again.
                waiting.set(false);
                LOG.debug("No report of reads for now", e);
            }
        }
    }

    /** Tells now what was not told yet: nobody may be there to do it later. */
    void report() {
        waiting.set(false);
        List<ReadReport> reports = new ArrayList<>();
        synchronized (left) {
            reports.addAll(left);
            left.clear();
        }
        regions.forEach((grantId, region) -> {
            ReadReport report = region.takeReport(grantId);
            if (report != null) {
                reports.add(report);
            }
        });
        try {
            for (int from = 0; from < reports.size(); from += MessageCodec.MAX_LIST) {
                sender.send(reports.subList(from, Math.min(reports.size(), from + MessageCodec.MAX_LIST)));
            }
        } catch (IOException e) {
            LOG.debug("A report is lost", e);
        }
    }

    private static final class Timer {
        private static final long IDLE_S = 10;
        private static @Nullable ScheduledThreadPoolExecutor thread;

        private Timer() {}

        static synchronized void run(Runnable work, long delayNs) {
            ScheduledThreadPoolExecutor present = thread;
            if (present == null) {
                present = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("terrace-read-reports"));
                present.setKeepAliveTime(IDLE_S, TimeUnit.SECONDS);
                present.allowCoreThreadTimeOut(true);
                thread = present;
            }
            var unused = present.schedule(work, delayNs, TimeUnit.NANOSECONDS);
        }
    }
}
