package io.terrace.datanode.heartbeat;

import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.Closeable;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of one {@link HeartbeatSession}: every interval, and sooner when there is news, though never sooner
 * than a least time after the one before. A service that is away costs an attempt per interval and nothing else.
 */
public final class HeartbeatAgent implements Closeable {

    /** Makes a connection to the service. */
    public interface Dialler {
        PlacementDataNodePB dial() throws IOException;

        /** Gives it up. */
        void hangUp(PlacementDataNodePB service);
    }

    private enum Trouble {
        NOT_READY,
        REFUSAL,
        NO_ANSWER
    }

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatAgent.class);
    private static final @Nullable RpcController NO_CONTROLLER = null;
    private static final long STOP_WAIT_MS = 2_000;

    private final HeartbeatSession link;
    private final Dialler dialler;
    private final long intervalNs;
    private final long soonestNs;
    private final String service;
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean news;
    private @Nullable PlacementDataNodePB connection;
    private boolean answeredBefore;
    /** What was told since the last answer: one kind may follow another, and each is told once. */
    private final Set<Trouble> told = EnumSet.noneOf(Trouble.class);

    /**
     * Begins to send.
     *
     * @param service its name, for the log
     * @param link makes the link, which calls back when it has news
     */
    public HeartbeatAgent(
            String service,
            Function<Runnable, HeartbeatSession> link,
            Dialler dialler,
            long intervalMs,
            long soonestMs) {
        this.service = service;
        this.dialler = dialler;
        this.intervalNs = TimeUnit.MILLISECONDS.toNanos(intervalMs);
        this.soonestNs = TimeUnit.MILLISECONDS.toNanos(soonestMs);
        this.thread = new Thread(this::run, "terrace-heartbeat-" + service);
        this.thread.setDaemon(true);
        this.link = link.apply(this::wake);
        this.thread.start();
    }

    /** The link whose heartbeats these are. */
    public HeartbeatSession link() {
        return link;
    }

    private void wake() {
        if (!news) {
            news = true;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        long waitNs = 0;
        long sentNs = System.nanoTime() - intervalNs;
        while (!closed) {
            long nowNs = System.nanoTime();
            long dueNs = sentNs + (news && told.isEmpty() ? Math.min(soonestNs, waitNs) : waitNs);
            if (dueNs - nowNs > 0) {
                LockSupport.parkNanos(dueNs - nowNs);
                continue;
            }
            sentNs = nowNs;
            news = false;
            waitNs = beat(nowNs);
            news |= link.hasNews();
        }
        hangUp();
    }

    /** One heartbeat; how long the next regular one is away. */
    private long beat(long nowNs) {
        try {
            PlacementDataNodePB present = connection;
            if (present == null) {
                present = dialler.dial();
                connection = present;
            }
            HeartbeatResponseProto response = present.heartbeat(NO_CONTROLLER, link.compose(nowNs));
            int wantedMs = link.delivered(response, System.nanoTime());
            answeredBefore = true;
            if (!told.isEmpty()) {
                LOG.info("The placement service {} answers", service);
                told.clear();
            }
            return wantedMs > 0 ? TimeUnit.MILLISECONDS.toNanos(wantedMs) : intervalNs;
        } catch (ServiceException | IOException | RuntimeException | Error e) {
            try {
                failed(e);
            } catch (RuntimeException | Error again) {
                // Without memory the log may fail too, and a thread that ends is heard of no more.
                e.addSuppressed(again);
            }
            return intervalNs;
        }
    }

    private void failed(Throwable why) {
        RemoteException refusal = why.getCause() instanceof RemoteException remote ? remote : null;
        if (refusal != null) {
            link.refused();
        } else {
            link.failed();
        }
        hangUp();
        if (closed) {
            return;
        }
        if (refusal == null) {
            if (told.add(Trouble.NO_ANSWER)) {
                LOG.warn("The placement service {} does not answer; what is in memory stays", service, why);
            }
        } else if (!answeredBefore && RetriableException.class.getName().equals(refusal.getClassName())) {
            // As it does until this DataNode has registered, which is a matter of seconds.
            if (told.add(Trouble.NOT_READY)) {
                LOG.info("The placement service {} is not ready for this DataNode: {}", service, firstLine(refusal));
            }
        } else if (told.add(Trouble.REFUSAL)) {
            LOG.warn(
                    "The placement service {} refuses heartbeats; what is in memory stays: {}",
                    service,
                    firstLine(refusal));
        }
    }

    /** What the service said, without its stack, which Hadoop's RPC puts behind it. */
    private static String firstLine(RemoteException refusal) {
        String message = refusal.getMessage();
        return message == null
                ? refusal.getClassName()
                : message.lines().findFirst().orElse(message);
    }

    private void hangUp() {
        PlacementDataNodePB was = connection;
        connection = null;
        if (was != null) {
            dialler.hangUp(was);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(STOP_WAIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
