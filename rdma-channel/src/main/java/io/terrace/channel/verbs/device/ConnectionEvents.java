package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.terrace.common.AgentThread;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Takes the events of RDMA connections from one event channel, on one thread, and hands each to the connection's handler.
 * Events are acknowledged first, so that a handler may destroy a connection that has ended. Thread-safe.
 */
public final class ConnectionEvents implements Closeable {
    static final int LOOK_MS = 100;
    private static final EventType[] TYPES = EventType.values();

    private final RdmaCm cm;
    private final RdmaEventChannel channel;
    private final Map<RdmaCmId, BiConsumer<EventType, RdmaCmId>> handlers = new ConcurrentHashMap<>();
    private final AgentThread thread;

    public ConnectionEvents(RdmaCm cm) throws IOException {
        this.cm = cm;
        this.channel = cm.createEventChannel();
        this.thread = new AgentThread("terrace-verbs-connections", this::takeNext, 0, System::nanoTime).start();
    }

    /** A connection to be; what happens to it is told until {@link #forget}, on this object's thread. */
    public RdmaCmId open(BiConsumer<EventType, RdmaCmId> handler) throws IOException {
        RdmaCmId id = cm.createId(channel, RdmaCm.RDMA_PS_TCP);
        handlers.put(id, handler);
        return id;
    }

    public void tell(RdmaCmId id, BiConsumer<EventType, RdmaCmId> handler) {
        handlers.put(id, handler);
    }

    public void forget(RdmaCmId id) {
        handlers.remove(id);
    }

    /** Connections that somebody is told of. */
    public int watched() {
        return handlers.size();
    }

    @Override
    public void close() throws IOException {
        thread.closeUninterruptibly();
        cm.destroyEventChannel(channel);
    }

    private int takeNext(long nowNs) throws IOException {
        RdmaCmEvent event = cm.getCmEvent(channel, LOOK_MS);
        if (event != null) {
            take(event);
        }
        return 1;
    }

    private void take(RdmaCmEvent event) throws IOException {
        EventType type = TYPES[event.getEvent()];
        RdmaCmId id = event.getConnIdPriv();
        RdmaCmId listening = event.getListenIdPriv();
        cm.ackCmEvent(event);
        boolean request = type == EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
        BiConsumer<EventType, RdmaCmId> handler = handlers.get(request ? listening : id);
        if (handler != null) {
            handler.accept(type, id);
        } else if (request) {
            // Its listener is gone.
            int unused = cm.destroyCmId(id);
        }
    }
}
