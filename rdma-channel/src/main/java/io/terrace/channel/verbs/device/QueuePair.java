package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import io.terrace.common.CloseAll;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/**
 * A queue pair and the registered buffers of its control messages. Guarded by the lock of its {@code VerbsLink}: nothing
 * may be posted or polled while it is destroyed.
 *
 * <p>The id of each work request says what it was: kind, session, index.
 */
public final class QueuePair {
    public static final long SEND = 1;
    public static final long RECEIVE = 2;
    public static final long ONE_SIDED = 3;
    public static final long NUDGE = 4;
    public static final int BUFFERS = ControlFrame.WINDOW + ControlFrame.RESERVE;

    private static final int KIND_SHIFT = 60;
    private static final int SESSION_SHIFT = 16;
    private static final int INDEX_MASK = 0xffff;

    private final ProtectionDomain domain;
    private final RdmaCm cm;
    private final ConnectionEvents events;
    private final RdmaCmId id;
    private final long session;
    private final IbvQP pair;
    private final NativeMemory frames = NativeMemory.allocate(2 * BUFFERS * ControlFrame.FRAME_BYTES);
    private final IbvMr registration;
    private final IndexPool freeSends = new IndexPool(BUFFERS);
    private final SVCPostSend send;
    private final List<SVCPostRecv> receives = new ArrayList<>();
    private boolean destroyed;

    /**
     * Makes a queue pair for a connection whose device is known, ready to receive.
     *
     * @param oneSided requests that may be posted and not complete, beside control messages
     */
    public QueuePair(
            ProtectionDomain domain,
            RdmaCm cm,
            ConnectionEvents events,
            RdmaCmId id,
            IbvCQ queue,
            long session,
            int oneSided)
            throws IOException {
        this.domain = domain;
        this.cm = cm;
        this.events = events;
        this.id = id;
        this.session = session;
        this.registration = domain.register(frames.address(), frames.bytes().capacity(), IbvMr.IBV_ACCESS_LOCAL_WRITE);
        try {
            IbvQPInitAttr wanted = new IbvQPInitAttr();
            wanted.setQp_type(IbvQP.IBV_QPT_RC);
            wanted.setSend_cq(queue);
            wanted.setRecv_cq(queue);
            wanted.cap().setMax_send_wr(BUFFERS + oneSided);
            wanted.cap().setMax_recv_wr(BUFFERS);
            wanted.cap().setMax_send_sge(1);
            wanted.cap().setMax_recv_sge(1);
            this.pair = cm.createQP(id, domain.protection(), wanted);
        } catch (IOException | RuntimeException | Error e) {
            CloseAll.after(e, List.of(this::deregister));
            throw e;
        }
        domain.deviceCounters().queuePairs.incrementAndGet();
        try {
            IbvSendWR request = request(IbvSendWR.IBV_WR_SEND);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            this.send = domain.verbs().postSend(pair, List.of(request), null);
            for (int i = 0; i < BUFFERS; i++) {
                receives.add(domain.verbs().postRecv(pair, List.of(receive(i)), null));
                receives.get(i).execute();
            }
        } catch (IOException | RuntimeException | Error e) {
            CloseAll.after(e, List.of(this::destroy));
            throw e;
        }
    }

    /** A request of a batch, with one local range; the rest is set before each post. */
    public static IbvSendWR request(int opcode) {
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(opcode);
        LinkedList<IbvSge> pieces = new LinkedList<>();
        pieces.add(new IbvSge());
        request.setSg_list(pieces);
        return request;
    }

    public SVCPostSend batch(List<IbvSendWR> requests) throws IOException {
        return domain.verbs().postSend(pair, requests, null);
    }

    public boolean maySend() {
        return freeSends.free() > 0;
    }

    /** Sends a frame; there must be a buffer for it. */
    public void send(byte type, int credits, long number, ByteBuffer body) throws IOException {
        int buffer = place(type, credits, number, body);
        set(send.getWrMod(0), workId(SEND, buffer), buffer, body.remaining());
        send.execute();
    }

    /** Puts a frame into a buffer, of which there must be one; {@link #sent} gives it back once it is posted and complete. */
    public int place(byte type, int credits, long number, ByteBuffer body) {
        int buffer = freeSends.take();
        if (buffer < 0) {
            throw new IllegalStateException("no buffer to send from");
        }
        ControlFrame.put(frames.bytes(), sendAt(buffer), type, credits, number, body);
        return buffer;
    }

    /** Lets a request, made by {@link #request} for a SEND, send the frame of a buffer. */
    public void set(SVCPostSend.SendWRMod request, long workId, int buffer, int bodyBytes) {
        request.setWr_id(workId);
        SVCPostSend.SgeMod piece = request.getSgeMod(0);
        piece.setAddr(frames.address() + sendAt(buffer));
        piece.setLength(ControlFrame.HEADER_BYTES + bodyBytes);
        piece.setLkey(registration.getLkey());
    }

    private static int sendAt(int buffer) {
        return (BUFFERS + buffer) * ControlFrame.FRAME_BYTES;
    }

    public void sent(int buffer) {
        freeSends.give(buffer);
    }

    /** Where a received frame lies. */
    public ByteBuffer frames() {
        return frames.bytes();
    }

    public int received(int buffer) {
        return buffer * ControlFrame.FRAME_BYTES;
    }

    /** Lets the next frame come into a buffer. */
    public void receiveAgain(int buffer) throws IOException {
        receives.get(buffer).execute();
    }

    public long workId(long kind, int index) {
        return workId(kind, session, index);
    }

    public static long workId(long kind, long session, int index) {
        return kind << KIND_SHIFT | session << SESSION_SHIFT | index;
    }

    public static long kind(long workId) {
        return workId >>> KIND_SHIFT;
    }

    public static long session(long workId) {
        return (workId & (1L << KIND_SHIFT) - 1) >>> SESSION_SHIFT;
    }

    public static int index(long workId) {
        return (int) workId & INDEX_MASK;
    }

    /** Ends the connection and destroys the queue pair: the device touches none of its buffers after this. */
    public void destroy() throws IOException {
        if (destroyed) {
            return;
        }
        destroyed = true;
        CloseAll.all(this::disconnect, this::destroyPair, this::deregister);
    }

    private void disconnect() {
        try {
            cm.disconnect(id);
        } catch (IOException e) {
            // The other side disconnected first, or there was no connection.
        }
    }

    private void destroyPair() throws IOException {
        int unused = cm.destroyQP(id);
        domain.deviceCounters().queuePairs.decrementAndGet();
    }

    private void deregister() throws IOException {
        domain.deregister(registration);
    }

    /** After {@link #destroy}: nothing of the connection is left then. */
    public void free() throws IOException {
        events.forget(id);
        cm.destroyCmId(id);
    }

    private IbvRecvWR receive(int buffer) {
        IbvSge piece = new IbvSge();
        piece.setAddr(frames.address() + (long) received(buffer));
        piece.setLength(ControlFrame.FRAME_BYTES);
        piece.setLkey(registration.getLkey());
        LinkedList<IbvSge> pieces = new LinkedList<>();
        pieces.add(piece);
        IbvRecvWR request = new IbvRecvWR();
        request.setWr_id(workId(RECEIVE, buffer));
        request.setSg_list(pieces);
        return request;
    }
}
