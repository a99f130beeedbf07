package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A device that only keeps count of what is registered with it, and fails when it is told to: for faults on any machine. */
public final class FakeDevice extends RdmaVerbs implements AutoCloseable {
    /** Addresses that are registered, by key. */
    final Map<Integer, Long> registered = new ConcurrentHashMap<>();

    /** Registrations until one is refused. */
    int registersLeft = Integer.MAX_VALUE;

    /** Key of the n-th registration. */
    IntUnaryOperator keys = number -> number;

    /** The key whose deregistration fails. */
    int stuckKey = -1;

    int domains;

    /** Whether anything can be posted; where it can, nothing comes of it. */
    boolean posts;

    /** What polls find, one batch each; a look of its own may fail. */
    final Queue<Supplier<List<IbvWC>>> polls = new ConcurrentLinkedQueue<>();

    final FakeConnections connections = new FakeConnections();

    final IbvContext context;
    private final Field provider;
    private final @Nullable Object before;
    private final AtomicInteger number = new AtomicInteger();

    /** DiSNI's objects ask for the provider of the process: this one, until it is closed. */
    public FakeDevice() throws Exception {
        provider = RdmaProvider.class.getDeclaredField("provider");
        provider.setAccessible(true);
        before = provider.get(null);
        FakeDevice self = this;
        provider.set(null, new RdmaProvider() {
            @Override
            public RdmaCm openCm() {
                return connections;
            }

            @Override
            public RdmaVerbs openVerbs() {
                return self;
            }

            @Override
            public int getVersion() {
                return 1;
            }
        });
        context = new IbvContext(0, 1) {};
        connections.device = context;
    }

    @Override
    public void close() throws Exception {
        provider.set(null, before);
    }

    @Override
    public IbvPd allocPd(IbvContext device) throws IOException {
        domains++;
        return new IbvPd(device);
    }

    @Override
    public int deallocPd(IbvPd pd) {
        domains--;
        return 0;
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) {
        return new SVCRegMr() {
            private @Nullable IbvMr made;

            @Override
            public SVCRegMr execute() throws IOException {
                if (registersLeft-- <= 0) {
                    throw new IOException("no more is registered");
                }
                int key = keys.applyAsInt(number.incrementAndGet());
                registered.put(key, address);
                made = new IbvMr(context, address, length, access, key, key, key);
                return this;
            }

            @Override
            public IbvMr getMr() {
                if (made == null) {
                    throw new IllegalStateException("not executed");
                }
                return made;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCRegMr free() {
                return this;
            }
        };
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) {
        return new SVCDeregMr() {
            @Override
            public SVCDeregMr execute() throws IOException {
                if (mr.getRkey() == stuckKey) {
                    throw new IOException("stuck");
                }
                registered.remove(mr.getRkey());
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCDeregMr free() {
                return this;
            }
        };
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext device) throws IOException {
        return new IbvCompChannel(1, device) {};
    }

    @Override
    public IbvCQ createCQ(IbvContext device, IbvCompChannel channel, int entries, int vector) throws IOException {
        return new IbvCQ(device, channel, 1);
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeoutMs) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        return false;
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int queryOdpSupport(IbvContext device) {
        return -1;
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable SVCPostSend postSend(IbvQP pair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> bad)
            throws IOException {
        if (!posts) {
            throw new IOException("nothing can be posted");
        }
        return null;
    }

    @Override
    public SVCPostRecv postRecv(IbvQP pair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> bad) {
        return new SVCPostRecv() {
            @Override
            public RecvWRMod getWrMod(int index) {
                throw new UnsupportedOperationException();
            }

            @Override
            public SVCPostRecv execute() {
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCPostRecv free() {
                return this;
            }
        };
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] completions, int most) {
        return new SVCPollCq() {
            private int found;

            @Override
            public SVCPollCq execute() {
                Supplier<List<IbvWC>> next = polls.poll();
                List<IbvWC> batch = next == null ? List.of() : next.get();
                found = batch.size();
                for (int i = 0; i < found; i++) {
                    completions[i] = batch.get(i);
                }
                return this;
            }

            @Override
            public int getPolls() {
                return found;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCPollCq free() {
                return this;
            }
        };
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicitedOnly) {
        return new SVCReqNotify() {
            @Override
            public SVCReqNotify execute() {
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCReqNotify free() {
                return this;
            }
        };
    }

    @Override
    public int ackCqEvents(IbvCQ queue, int events) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) {
        return 0;
    }

    @Override
    public int destroyCQ(IbvCQ queue) {
        return 0;
    }
}
