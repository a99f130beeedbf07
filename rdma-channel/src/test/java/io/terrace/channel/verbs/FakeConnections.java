package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Connections that only keep count of queue pairs, and of looks for events, of which there are none. */
final class FakeConnections extends RdmaCm {
    int pairs;

    final AtomicInteger looks = new AtomicInteger();

    /** Told of each look, by its number from 1. */
    IntConsumer onLook = look -> {};

    @Override
    public IbvQP createQP(@Nullable RdmaCmId id, IbvPd domain, IbvQPInitAttr wanted) throws IOException {
        pairs++;
        return new IbvQP(1);
    }

    @Override
    public int destroyQP(@Nullable RdmaCmId id) {
        pairs--;
        return 0;
    }

    @Override
    public int disconnect(@Nullable RdmaCmId id) throws IOException {
        throw new IOException("never connected");
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        return new RdmaEventChannel(1) {};
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short kind) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void listen(RdmaCmId id, int backlog) {
        throw new UnsupportedOperationException();
    }

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
        return null;
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) {
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int destroyEp(RdmaCmId id) {
        throw new UnsupportedOperationException();
    }
}
