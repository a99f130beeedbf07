package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.sun.jna.Pointer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** DiSNI's objects, each with the address of the structure that it stands for. */
final class Handles {
    private Handles() {}

    /** {@code struct ibv_context}. */
    static final class Context extends IbvContext {
        final long address;

        Context(long address) throws IOException {
            super(
                    new Pointer(address).getInt(Layout.Context.CMD_FD),
                    new Pointer(address).getInt(Layout.Context.NUM_COMP_VECTORS));
            this.address = address;
        }

        long function(int offset) {
            return new Pointer(address).getLong(offset);
        }
    }

    /** {@code struct ibv_pd}. */
    static final class Domain extends IbvPd {
        final long address;

        Domain(Context context, long address) throws IOException {
            super(context);
            this.address = address;
        }
    }

    /** {@code struct ibv_comp_channel}. */
    static final class CompletionChannel extends IbvCompChannel {
        final long address;

        CompletionChannel(Context context, long address) throws IOException {
            super(new Pointer(address).getInt(Layout.CompletionChannel.FD), context);
            this.address = address;
        }
    }

    /** {@code struct ibv_cq}. */
    static final class Queue extends IbvCQ {
        final long address;

        Queue(Context context, CompletionChannel channel, long address) throws IOException {
            super(context, channel, 0);
            this.address = address;
        }
    }

    /** {@code struct ibv_qp}. */
    static final class Pair extends IbvQP {
        final long address;

        Pair(Context context, Domain domain, long address) throws IOException {
            super(new Pointer(address).getInt(Layout.QueuePair.QP_NUM));
            this.context = context;
            this.pd = domain;
            this.address = address;
        }
    }

    /** {@code struct ibv_mr}. */
    static final class Region extends IbvMr {
        final long structure;

        Region(Domain domain, long address, int lengthBytes, int access, long structure) throws IOException {
            super(
                    domain.getContext(),
                    address,
                    lengthBytes,
                    access,
                    new Pointer(structure).getInt(Layout.MemoryRegion.LKEY),
                    new Pointer(structure).getInt(Layout.MemoryRegion.RKEY),
                    new Pointer(structure).getInt(Layout.MemoryRegion.HANDLE));
            this.structure = structure;
        }
    }

    /** {@code struct rdma_event_channel}. */
    static final class EventChannel extends RdmaEventChannel {
        final long address;

        EventChannel(long address) throws IOException {
            super(new Pointer(address).getInt(0));
            this.address = address;
        }
    }

    /** {@code struct rdma_cm_id}. */
    static final class Id extends RdmaCmId {
        final long address;

        Id(EventChannel channel, long address) throws IOException {
            super(channel, null);
            this.address = address;
        }

        /** The device; known once the address is resolved or the request has come. */
        @Override
        public IbvContext getVerbs() throws IOException {
            if (verbs == null) {
                long context = new Pointer(address).getLong(Layout.ConnectionId.VERBS);
                if (context == 0) {
                    throw new IOException("not bound to a device yet");
                }
                setVerbs(new Context(context));
            }
            return verbs;
        }

        void become(@Nullable Pair pair) {
            setQp(pair);
        }
    }

    /** {@code struct rdma_cm_event}, copied; the structure lives until it is acknowledged. */
    static final class Event extends RdmaCmEvent {
        final long address;

        Event(int event, int status, @Nullable Id listening, Id id, long address) throws IOException {
            super(event, listening, id);
            this.status = status;
            this.address = address;
        }
    }
}
