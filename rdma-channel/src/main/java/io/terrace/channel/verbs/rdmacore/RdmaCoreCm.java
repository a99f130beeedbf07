package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connections by librdmacm. Thread-safe as librdmacm is: no id, channel or queue pair may be in use when it is destroyed.
 *
 * <p>Every call throws IOException with errno when it fails; those that return int return 0.
 */
final class RdmaCoreCm extends RdmaCm {
    /** As many READs in flight as the devices of both sides allow (RDMA_MAX_RESP_RES). */
    private static final byte MOST_READS = (byte) 0xff;

    /** Of fcntl and errno. */
    private static final int GET_FLAGS = 3;

    private static final int SET_FLAGS = 4;
    private static final int NON_BLOCKING = 0x800;
    private static final int TRY_AGAIN = 11;

    private final Map<Long, Handles.Id> ids = new ConcurrentHashMap<>();

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        long channel = Librdmacm.rdma_create_event_channel();
        if (channel == 0) {
            throw failed("rdma_create_event_channel");
        }
        Handles.EventChannel events = new Handles.EventChannel(channel);
        int flags = Libc.fcntl(events.getFd(), GET_FLAGS, 0);
        if (flags < 0 || Libc.fcntl(events.getFd(), SET_FLAGS, flags | NON_BLOCKING) < 0) {
            IOException failure = failed("fcntl");
            int unused = destroyEventChannel(events);
            throw failure;
        }
        return events;
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        NativeMemory out = NativeMemory.allocate(Long.BYTES);
        Handles.EventChannel events = (Handles.EventChannel) channel;
        require("rdma_create_id", Librdmacm.rdma_create_id(events.address, out.address(), 0, portSpace));
        long id = out.bytes().getLong(0);
        out.keep();
        return known(events, id);
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr wanted) throws IOException {
        NativeMemory attributes = NativeMemory.allocate(Layout.QueuePairAttributes.BYTES);
        ByteBuffer bytes = attributes.bytes();
        bytes.putLong(Layout.QueuePairAttributes.SEND_CQ, ((Handles.Queue) wanted.getSend_cq()).address);
        bytes.putLong(Layout.QueuePairAttributes.RECV_CQ, ((Handles.Queue) wanted.getRecv_cq()).address);
        bytes.putInt(Layout.QueuePairAttributes.MAX_SEND_WR, wanted.cap().getMax_send_wr());
        bytes.putInt(Layout.QueuePairAttributes.MAX_RECV_WR, wanted.cap().getMax_recv_wr());
        bytes.putInt(Layout.QueuePairAttributes.MAX_SEND_SGE, wanted.cap().getMax_send_sge());
        bytes.putInt(Layout.QueuePairAttributes.MAX_RECV_SGE, wanted.cap().getMax_recv_sge());
        bytes.putInt(Layout.QueuePairAttributes.MAX_INLINE_DATA, wanted.cap().getMax_inline_data());
        bytes.putInt(Layout.QueuePairAttributes.QP_TYPE, wanted.getQp_type());
        bytes.putInt(Layout.QueuePairAttributes.SQ_SIG_ALL, wanted.getSq_sig_all());
        Handles.Id connection = (Handles.Id) id;
        Handles.Domain domain = (Handles.Domain) pd;
        require("rdma_create_qp", Librdmacm.rdma_create_qp(connection.address, domain.address, attributes.address()));
        attributes.keep();
        long pair = new Pointer(connection.address).getLong(Layout.ConnectionId.QP);
        Handles.Pair created = new Handles.Pair((Handles.Context) id.getVerbs(), domain, pair);
        connection.become(created);
        return created;
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        NativeMemory where = structure(address);
        require("rdma_bind_addr", Librdmacm.rdma_bind_addr(address(id), where.address()));
        where.keep();
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        require("rdma_listen", Librdmacm.rdma_listen(address(id), backlog));
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMs)
            throws IOException {
        NativeMemory to = structure(destination);
        NativeMemory from = source == null ? null : structure(source);
        long fromAddress = from == null ? 0 : from.address();
        require("rdma_resolve_addr", Librdmacm.rdma_resolve_addr(address(id), fromAddress, to.address(), timeoutMs));
        to.keep();
        if (from != null) {
            from.keep();
        }
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMs) throws IOException {
        require("rdma_resolve_route", Librdmacm.rdma_resolve_route(address(id), timeoutMs));
    }

    /** The next event, or null when none came in time. */
    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMs) throws IOException {
        if (!Readable.within(channel.getFd(), timeoutMs)) {
            return null;
        }
        NativeMemory out = NativeMemory.allocate(Long.BYTES);
        Handles.EventChannel events = (Handles.EventChannel) channel;
        int result = Librdmacm.rdma_get_cm_event(events.address, out.address());
        if (result != 0 && Native.getLastError() == TRY_AGAIN) {
            // Its connection was destroyed meanwhile: the kernel withdraws such events.
            return null;
        }
        require("rdma_get_cm_event", result);
        long address = out.bytes().getLong(0);
        out.keep();
        Pointer event = new Pointer(address);
        long listening = event.getLong(Layout.ConnectionEvent.LISTEN_ID);
        return new Handles.Event(
                event.getInt(Layout.ConnectionEvent.EVENT),
                event.getInt(Layout.ConnectionEvent.STATUS),
                listening == 0 ? null : known(events, listening),
                known(events, event.getLong(Layout.ConnectionEvent.ID)),
                address);
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam wanted) throws IOException {
        NativeMemory parameters = parameters(wanted);
        require("rdma_connect", Librdmacm.rdma_connect(address(id), parameters.address()));
        parameters.keep();
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam wanted) throws IOException {
        NativeMemory parameters = parameters(wanted);
        require("rdma_accept", Librdmacm.rdma_accept(address(id), parameters.address()));
        parameters.keep();
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return Librdmacm.rdma_ack_cm_event(((Handles.Event) event).address);
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        return require("rdma_disconnect", Librdmacm.rdma_disconnect(address(id)));
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) {
        channel.close();
        Librdmacm.rdma_destroy_event_channel(((Handles.EventChannel) channel).address);
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        long address = address(id);
        id.close();
        ids.remove(address);
        return require("rdma_destroy_id", Librdmacm.rdma_destroy_id(address));
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        if (id.getQp() != null) {
            id.getQp().close();
            Librdmacm.rdma_destroy_qp(address(id));
            ((Handles.Id) id).become(null);
        }
        return 0;
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return SocketAddresses.get(at(id, Layout.ConnectionId.SOURCE));
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return SocketAddresses.get(at(id, Layout.ConnectionId.DESTINATION));
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        destroyQP(id);
        return destroyCmId(id);
    }

    private Handles.Id known(Handles.EventChannel channel, long address) throws IOException {
        Handles.Id known = ids.get(address);
        if (known == null) {
            known = new Handles.Id(channel, address);
            ids.put(address, known);
        }
        return known;
    }

    private static ByteBuffer at(RdmaCmId id, int offset) {
        return new Pointer(((Handles.Id) id).address).getByteBuffer(offset, SocketAddresses.BYTES);
    }

    private static long address(RdmaCmId id) throws IOException {
        if (!id.isOpen()) {
            throw new IOException("this connection has been destroyed");
        }
        return ((Handles.Id) id).address;
    }

    private static NativeMemory structure(SocketAddress address) throws IOException {
        NativeMemory memory = NativeMemory.allocate(SocketAddresses.BYTES);
        SocketAddresses.put(address, memory.bytes());
        return memory;
    }

    private static NativeMemory parameters(RdmaConnParam wanted) {
        NativeMemory memory = NativeMemory.allocate(Layout.ConnectionParameters.BYTES);
        memory.bytes()
                .put(Layout.ConnectionParameters.RESPONDER_RESOURCES, MOST_READS)
                .put(Layout.ConnectionParameters.INITIATOR_DEPTH, MOST_READS)
                .put(Layout.ConnectionParameters.RETRY_COUNT, wanted.getRetry_count())
                .put(Layout.ConnectionParameters.RNR_RETRY_COUNT, wanted.getRnr_retry_count());
        return memory;
    }

    private static int require(String call, int result) throws IOException {
        if (result != 0) {
            throw failed(call);
        }
        return 0;
    }

    private static IOException failed(String call) {
        return new IOException(call + " failed with errno " + Native.getLastError());
    }
}
