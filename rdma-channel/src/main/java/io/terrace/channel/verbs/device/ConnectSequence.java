package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The steps to a connection, each with what is left of the time. Used by one thread. */
public final class ConnectSequence {
    private static final int RETRIES = 7;

    private final RdmaCm cm;
    private final RdmaCmId id;
    private final ConnectionEvents events;
    private final BlockingQueue<EventType> happened = new ArrayBlockingQueue<>(16);
    private final long deadlineNs;

    public ConnectSequence(RdmaCm cm, ConnectionEvents events, long timeoutNs) throws IOException {
        this.cm = cm;
        this.events = events;
        this.deadlineNs = System.nanoTime() + timeoutNs;
        this.id = events.open((type, which) -> {
            boolean unused = happened.offer(type);
        });
    }

    public RdmaCmId id() {
        return id;
    }

    /** Finds the device and the way to the other side. */
    public void resolve(SocketAddress where) throws IOException {
        cm.resolveAddr(id, null, where, leftMs());
        expect(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, where);
        cm.resolveRoute(id, leftMs());
        expect(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, where);
    }

    /** Connects the queue pair that the id has by now. */
    public void connect(SocketAddress where) throws IOException {
        cm.connect(id, parameters());
        expect(EventType.RDMA_CM_EVENT_ESTABLISHED, where);
    }

    /** Whether something happened after it was connected and before anybody else was told. */
    public boolean isOverAlready() {
        return !happened.isEmpty();
    }

    /** Nobody waits for events any more. */
    public void forget() {
        events.forget(id);
    }

    /** A receiver that is slow for a moment is tried again; one that is gone ends the connection. */
    public static RdmaConnParam parameters() throws IOException {
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setRetry_count((byte) RETRIES);
        parameters.setRnr_retry_count((byte) (RETRIES - 1));
        return parameters;
    }

    private void expect(EventType wanted, SocketAddress where) throws IOException {
        try {
            EventType type = happened.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (type == null) {
                throw new SocketTimeoutException(where + " does not answer in time");
            }
            if (type != wanted) {
                throw new IOException(where + " cannot be connected to: " + type);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while connecting");
        }
    }

    private int leftMs() throws SocketTimeoutException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        if (leftMs <= 0) {
            throw new SocketTimeoutException("no time is left to connect");
        }
        return (int) Math.min(leftMs, Integer.MAX_VALUE);
    }
}
