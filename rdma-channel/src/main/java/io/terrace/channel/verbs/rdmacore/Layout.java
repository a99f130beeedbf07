package io.terrace.channel.verbs.rdmacore;

/**
 * Where the fields stand in the structures of {@code infiniband/verbs.h} and {@code rdma/rdma_cma.h} (rdma-core 44, whose
 * ABI has been the same since IBVERBS_1.1), for 64-bit Linux: offsets and sizes in bytes, as {@code offsetof} gives them.
 */
final class Layout {
    private Layout() {}

    /**
     * {@code struct ibv_context}: the functions that drivers put into its table. When its compatibility is all ones, it is
     * the last field of {@code struct verbs_context}, which grows at its beginning.
     */
    static final class Context {
        static final int QUERY_DEVICE_EX = -104;
        static final int POLL_CQ = 96;
        static final int REQ_NOTIFY_CQ = 104;
        static final int POST_SEND = 208;
        static final int POST_RECV = 216;
        static final int CMD_FD = 264;
        static final int NUM_COMP_VECTORS = 272;
        static final int ABI_COMPAT = 320;

        private Context() {}
    }

    /** {@code struct ibv_device_attr}, and behind it the rest of {@code struct ibv_device_attr_ex}. */
    static final class DeviceAttributes {
        static final int VENDOR_ID = 96;
        static final int PAGING_GENERAL = 240;
        static final int PAGING_RELIABLE = 248;
        static final int EXTENDED_BYTES = 400;

        private DeviceAttributes() {}
    }

    /** {@code struct ibv_send_wr} of a SEND, WRITE or READ. */
    static final class SendRequest {
        static final int BYTES = 128;
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;
        static final int OPCODE = 28;
        static final int SEND_FLAGS = 32;
        static final int REMOTE_ADDR = 40;
        static final int RKEY = 48;

        private SendRequest() {}
    }

    /** {@code struct ibv_recv_wr}. */
    static final class ReceiveRequest {
        static final int BYTES = 32;
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;

        private ReceiveRequest() {}
    }

    /** {@code struct ibv_sge}. */
    static final class Piece {
        static final int BYTES = 16;
        static final int ADDR = 0;
        static final int LENGTH = 8;
        static final int LKEY = 12;

        private Piece() {}
    }

    /** {@code struct ibv_wc}. */
    static final class WorkCompletion {
        static final int BYTES = 48;
        static final int WR_ID = 0;
        static final int STATUS = 8;
        static final int OPCODE = 12;
        static final int BYTE_LEN = 20;
        static final int QP_NUM = 28;

        private WorkCompletion() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QueuePairAttributes {
        static final int BYTES = 64;
        static final int SEND_CQ = 8;
        static final int RECV_CQ = 16;
        static final int MAX_SEND_WR = 32;
        static final int MAX_RECV_WR = 36;
        static final int MAX_SEND_SGE = 40;
        static final int MAX_RECV_SGE = 44;
        static final int MAX_INLINE_DATA = 48;
        static final int QP_TYPE = 52;
        static final int SQ_SIG_ALL = 56;

        private QueuePairAttributes() {}
    }

    /** {@code struct ibv_qp}. */
    static final class QueuePair {
        static final int QP_NUM = 52;

        private QueuePair() {}
    }

    /** {@code struct ibv_mr}. */
    static final class MemoryRegion {
        static final int HANDLE = 32;
        static final int LKEY = 36;
        static final int RKEY = 40;

        private MemoryRegion() {}
    }

    /** {@code struct ibv_comp_channel}. */
    static final class CompletionChannel {
        static final int FD = 8;

        private CompletionChannel() {}
    }

    /** {@code struct rdma_cm_id}. */
    static final class ConnectionId {
        static final int VERBS = 0;
        static final int QP = 24;
        static final int SOURCE = 32;
        static final int DESTINATION = 160;

        private ConnectionId() {}
    }

    /** {@code struct rdma_conn_param}. */
    static final class ConnectionParameters {
        static final int BYTES = 24;
        static final int RESPONDER_RESOURCES = 9;
        static final int INITIATOR_DEPTH = 10;
        static final int RETRY_COUNT = 12;
        static final int RNR_RETRY_COUNT = 13;

        private ConnectionParameters() {}
    }

    /** {@code struct rdma_cm_event}. */
    static final class ConnectionEvent {
        static final int ID = 0;
        static final int LISTEN_ID = 8;
        static final int EVENT = 16;
        static final int STATUS = 20;

        private ConnectionEvent() {}
    }

    /** {@code struct pollfd}. */
    static final class PollDescriptor {
        static final int BYTES = 8;
        static final int FD = 0;
        static final int EVENTS = 4;
        static final short POLLIN = 1;

        private PollDescriptor() {}
    }
}
