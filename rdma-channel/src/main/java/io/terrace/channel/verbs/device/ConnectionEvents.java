package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to connections, taken from one event channel by one thread and handed to whom it concerns. Events are
 * acknowledged first, so that a connection may be destroyed by whoever hears of its end. Thread-safe.
 */
public final class ConnectionEvents implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEvents.class);

    static final int LOOK_MS = 100;
    private static final EventType[] TYPES = EventType.values();

    private final RdmaCm cm;
    private final RdmaEventChannel channel;
    private final Map<RdmaCmId, BiConsumer<EventType, RdmaCmId>> takers = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean closed;

    public ConnectionEvents(RdmaCm cm) throws IOException {
        this.cm = cm;
        this.channel = cm.createEventChannel();
        this.thread = new Thread(this::takeAll, "terrace-verbs-connections");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    /** A connection to be; what happens to it is told until {@link #forget}, on this object's thread. */
    public RdmaCmId open(BiConsumer<EventType, RdmaCmId> taker) throws IOException {
        RdmaCmId id = cm.createId(channel, RdmaCm.RDMA_PS_TCP);
        takers.put(id, taker);
        return id;
    }

    public void tell(RdmaCmId id, BiConsumer<EventType, RdmaCmId> taker) {
        takers.put(id, taker);
    }

    public void forget(RdmaCmId id) {
        takers.remove(id);
    }

    /** Connections that somebody is told of. */
    public int watched() {
        return takers.size();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cm.destroyEventChannel(channel);
    }

    private void takeAll() {
        while (!closed) {
            try {
                RdmaCmEvent event = cm.getCmEvent(channel, LOOK_MS);
                if (event != null) {
                    take(event);
                }
            } catch (IOException | RuntimeException | Error e) {
                lost(e);
            }
        }
    }

    /** What failed once may fail again at once, and without memory the log may too. */
    private static void lost(Throwable why) {
        try {
            LOG.warn("An event of an RDMA connection is lost", why);
            Thread.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            why.addSuppressed(e);
        }
    }

    private void take(RdmaCmEvent event) throws IOException {
        EventType type = TYPES[event.getEvent()];
        RdmaCmId id = event.getConnIdPriv();
        RdmaCmId listening = event.getListenIdPriv();
        cm.ackCmEvent(event);
        boolean request = type == EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
        BiConsumer<EventType, RdmaCmId> taker = takers.get(request ? listening : id);
        if (taker != null) {
            taker.accept(type, id);
        } else if (request) {
            // Nobody listens there any more.
            int unused = cm.destroyCmId(id);
        }
    }
}
