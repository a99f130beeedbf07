package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verbs by libibverbs. Calls are thread-safe as libibverbs is: nothing may be in use when it is destroyed. The calls that
 * {@code postSend} and its like return are prepared once and executed often, each by one thread at a time.
 */
final class RdmaCoreVerbs extends RdmaVerbs {
    /** The devices that libibverbs sees. */
    static List<String> deviceNames() {
        NativeMemory count = NativeMemory.allocate(Integer.BYTES);
        long devices = Libibverbs.ibv_get_device_list(count.address());
        List<String> names = new ArrayList<>();
        if (devices != 0) {
            for (int i = 0; i < count.bytes().getInt(0); i++) {
                names.add(Libibverbs.ibv_get_device_name(new Pointer(devices).getLong((long) i * Long.BYTES)));
            }
            Libibverbs.ibv_free_device_list(devices);
        }
        count.keep();
        return names;
    }

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        Handles.Context device = (Handles.Context) context;
        return new Handles.Domain(device, made("ibv_alloc_pd", Libibverbs.ibv_alloc_pd(device.address)));
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        pd.close();
        return require("ibv_dealloc_pd", Libibverbs.ibv_dealloc_pd(((Handles.Domain) pd).address));
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        Handles.Context device = (Handles.Context) context;
        long channel = made("ibv_create_comp_channel", Libibverbs.ibv_create_comp_channel(device.address));
        return new Handles.CompletionChannel(device, channel);
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        channel.close();
        return require(
                "ibv_destroy_comp_channel",
                Libibverbs.ibv_destroy_comp_channel(((Handles.CompletionChannel) channel).address));
    }

    /** A completion queue; a channel is needed, as libdisni needs one. */
    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
        Handles.Context device = (Handles.Context) context;
        Handles.CompletionChannel events = (Handles.CompletionChannel) channel;
        long queue =
                made("ibv_create_cq", Libibverbs.ibv_create_cq(device.address, entries, 0, events.address, vector));
        return new Handles.Queue(device, events, queue);
    }

    @Override
    public int destroyCQ(IbvCQ queue) throws IOException {
        queue.close();
        return require("ibv_destroy_cq", Libibverbs.ibv_destroy_cq(((Handles.Queue) queue).address));
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeoutMs) throws IOException {
        if (!Readable.within(channel.getFd(), timeoutMs)) {
            return false;
        }
        NativeMemory out = NativeMemory.allocate(2 * Long.BYTES);
        require(
                "ibv_get_cq_event",
                Libibverbs.ibv_get_cq_event(
                        ((Handles.CompletionChannel) channel).address, out.address(), out.address() + Long.BYTES));
        out.keep();
        return true;
    }

    @Override
    public int ackCqEvents(IbvCQ queue, int events) {
        Libibverbs.ibv_ack_cq_events(((Handles.Queue) queue).address, events);
        return 0;
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicitedOnly) {
        return new NotifyCall((Handles.Queue) queue, solicitedOnly);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) {
        return regMr(pd, Pointer.nativeValue(Native.getDirectBufferPointer(buffer)), buffer.capacity(), access);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) {
        return new RegisterCall((Handles.Domain) pd, address, length, access);
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) {
        return new DeregisterCall((Handles.Region) mr);
    }

    @Override
    public SVCPostSend postSend(IbvQP pair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> bad) {
        return new PostSendCall((Handles.Pair) pair, requests);
    }

    @Override
    public SVCPostRecv postRecv(IbvQP pair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> bad) {
        return new PostReceiveCall((Handles.Pair) pair, requests);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] completions, int most) {
        return new PollCall((Handles.Queue) queue, completions, most);
    }

    /** Less than a device offers, where that is known to be wrong. */
    @Override
    public int queryOdpSupport(IbvContext context) throws IOException {
        return DeviceFacts.of(context).paging();
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) throws IOException {
        throw new IOException("nothing is fetched ahead here");
    }

    static long made(String call, long pointer) throws IOException {
        if (pointer == 0) {
            throw new IOException(call + " failed with errno " + Native.getLastError());
        }
        return pointer;
    }

    static int require(String call, int result) throws IOException {
        if (result != 0) {
            throw new IOException(call + " failed with " + result + ", errno " + Native.getLastError());
        }
        return 0;
    }
}
