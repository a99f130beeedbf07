package io.terrace.datanode.heartbeat;

import io.terrace.common.Agent;
import io.terrace.common.AgentThread;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.Closeable;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of one {@link HeartbeatExchange}: every interval, and sooner when there is something to tell, though
 * never sooner than a least time after the one before, nor than a fifth of the interval that the service asks for. A service
 * that is away costs an attempt per interval and nothing else.
 */
public final class HeartbeatAgent implements Agent, Closeable {

    /** Makes a connection to the service. */
    public interface Connector {
        PlacementDataNodePB connect() throws IOException;

        /** Gives it up. */
        void disconnect(PlacementDataNodePB service);
    }

    private enum Problem {
        NOT_READY,
        REFUSAL,
        NO_ANSWER
    }

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatAgent.class);
    private static final @Nullable RpcController NO_CONTROLLER = null;
    private static final long STOP_WAIT_MS = 2_000;
    /** An interval that the service makes longer is to bound what all DataNodes send, so early heartbeats become rarer too. */
    private static final int SOONEST_PART = 5;

    private final HeartbeatExchange exchange;
    private final Connector connector;
    private final long intervalNs;
    private final long soonestNs;
    private final String service;
    private final AgentThread thread;
    /** The next heartbeat need not wait for the interval. */
    private volatile boolean soon;

    private long waitNs;
    private long sentNs;
    private @Nullable PlacementDataNodePB connection;
    private boolean answeredBefore;
    /** What was logged since the last answer: one kind may follow another, and each is logged once. */
    private final Set<Problem> logged = EnumSet.noneOf(Problem.class);

    /**
     * Begins to send.
     *
     * @param service its name, for the log
     * @param exchange makes the exchange, which calls back when it has something to tell
     */
    public HeartbeatAgent(
            String service,
            Function<Runnable, HeartbeatExchange> exchange,
            Connector connector,
            long intervalMs,
            long soonestMs) {
        this.service = service;
        this.connector = connector;
        this.intervalNs = TimeUnit.MILLISECONDS.toNanos(intervalMs);
        this.soonestNs = TimeUnit.MILLISECONDS.toNanos(soonestMs);
        this.sentNs = System.nanoTime() - intervalNs;
        this.thread = new AgentThread("terrace-heartbeat-" + service, this, nowNs -> dueNs() - nowNs, System::nanoTime);
        this.exchange = exchange.apply(this::wake);
        thread.start();
    }

    /** The exchange whose heartbeats these are. */
    public HeartbeatExchange exchange() {
        return exchange;
    }

    private void wake() {
        if (!soon) {
            soon = true;
            thread.wake();
        }
    }

    private long dueNs() {
        long earlyNs = Math.min(Math.max(soonestNs, waitNs / SOONEST_PART), waitNs);
        return sentNs + (soon && logged.isEmpty() ? earlyNs : waitNs);
    }

    @Override
    public int doWork(long nowNs) {
        if (dueNs() - nowNs > 0) {
            return 0;
        }
        sentNs = nowNs;
        soon = false;
        waitNs = beat(nowNs);
        if (exchange.hasUnsent()) {
            soon = true;
        }
        return 1;
    }

    @Override
    public void onClose() {
        disconnect();
    }

    /** One heartbeat; how long the next regular one is away. */
    private long beat(long nowNs) {
        try {
            PlacementDataNodePB present = connection;
            if (present == null) {
                present = connector.connect();
                connection = present;
            }
            HeartbeatResponseProto response = present.heartbeat(NO_CONTROLLER, exchange.compose(nowNs));
            int wantedMs = exchange.delivered(response, System.nanoTime());
            answeredBefore = true;
            if (!logged.isEmpty()) {
                LOG.info("The placement service {} answers", service);
                logged.clear();
            }
            return wantedMs > 0 ? TimeUnit.MILLISECONDS.toNanos(wantedMs) : intervalNs;
        } catch (ServiceException | IOException | RuntimeException | Error e) {
            try {
                failed(e);
            } catch (RuntimeException | Error again) {
                // Without memory the log may fail too; the thread must not end.
                e.addSuppressed(again);
            }
            return intervalNs;
        }
    }

    private void failed(Throwable why) {
        RemoteException refusal = why.getCause() instanceof RemoteException remote ? remote : null;
        if (refusal != null) {
            exchange.refused();
        } else {
            exchange.failed();
        }
        disconnect();
        if (thread.isClosed()) {
            return;
        }
        if (refusal == null) {
            if (logged.add(Problem.NO_ANSWER)) {
                LOG.warn("The placement service {} does not answer; what is in memory stays", service, why);
            }
        } else if (!answeredBefore && RetriableException.class.getName().equals(refusal.getClassName())) {
            // Usual until this DataNode has registered, which takes seconds.
            if (logged.add(Problem.NOT_READY)) {
                LOG.info("The placement service {} is not ready for this DataNode: {}", service, firstLine(refusal));
            }
        } else if (logged.add(Problem.REFUSAL)) {
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

    private void disconnect() {
        PlacementDataNodePB was = connection;
        connection = null;
        if (was != null) {
            connector.disconnect(was);
        }
    }

    @Override
    public void close() {
        thread.close(true, STOP_WAIT_MS);
    }
}
