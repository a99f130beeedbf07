package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Connections that only keep count of queue pairs, and of looks for events; events are those that a test has made. */
public final class FakeConnections extends RdmaCm {
    final AtomicInteger pairs = new AtomicInteger();

    /** What happens, one thing a look. */
    final Queue<RdmaCmEvent> events = new ConcurrentLinkedQueue<>();

    /** Of disconnects, before they end as those of what never connected do. */
    Runnable onDisconnect = () -> {};

    /** Told of what listens or connects. */
    Consumer<RdmaCmId> onCreate = id -> {};

    /** Of connections that are accepted. */
    Runnable onAccept = () -> {};

    /** Where connections come from. */
    volatile InetAddress from = InetAddress.getLoopbackAddress();

    @Nullable
    IbvContext device;

    public final AtomicInteger looks = new AtomicInteger();

    /** Told of each look, by its number from 1. */
    public IntConsumer onLook = look -> {};

    @Override
    public IbvQP createQP(@Nullable RdmaCmId id, IbvPd domain, IbvQPInitAttr wanted) throws IOException {
        pairs.incrementAndGet();
        return new IbvQP(1);
    }

    @Override
    public int destroyQP(@Nullable RdmaCmId id) {
        pairs.decrementAndGet();
        return 0;
    }

    @Override
    public int disconnect(@Nullable RdmaCmId id) throws IOException {
        onDisconnect.run();
        throw new IOException("never connected");
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        return new RdmaEventChannel(1) {};
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short kind) throws IOException {
        RdmaCmId id = id();
        onCreate.accept(id);
        return id;
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) {}

    @Override
    public void listen(RdmaCmId id, int backlog) {}

    @Override
    public void resolveAddr(RdmaCmId id, SocketAddress from, SocketAddress to, int timeoutMs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMs) {
        onLook.accept(looks.incrementAndGet());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        return events.poll();
    }

    /** One that is made; its device is the {@link #device}. */
    RdmaCmId id() throws IOException {
        return new RdmaCmId(new RdmaEventChannel(1) {}, device) {};
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) {
        onAccept.run();
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) {
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) {
        return 0;
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) {
        return new InetSocketAddress(from, 1);
    }

    @Override
    public int destroyEp(RdmaCmId id) {
        throw new UnsupportedOperationException();
    }
}
