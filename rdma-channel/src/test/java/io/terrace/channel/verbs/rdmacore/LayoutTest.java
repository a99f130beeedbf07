package io.terrace.channel.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import org.junit.jupiter.api.Test;

/** The offsets against the declarations of the C headers, laid out by JNA as a C compiler does. */
final class LayoutTest {
    /** A structure that tells where its fields are. */
    abstract static class Declared extends Structure {
        int at(String field) {
            return fieldOffset(field);
        }
    }

    @FieldOrder({"addr", "length", "lkey"})
    public static final class IbvSge extends Declared {
        public long addr;
        public int length;
        public int lkey;
    }

    @FieldOrder({
        "wr_id",
        "next",
        "sg_list",
        "num_sge",
        "opcode",
        "send_flags",
        "imm_data",
        "remote_addr",
        "rkey",
        "atomicRest",
        "typeRest",
        "tailRest"
    })
    public static final class IbvSendWr extends Declared {
        public long wr_id;
        public Pointer next;
        public Pointer sg_list;
        public int num_sge;
        public int opcode;
        public int send_flags;
        public int imm_data;
        public long remote_addr;
        public int rkey;
        /** wr is as large as its atomic member: 4 more longs, of which remote_addr and rkey took 16 bytes. */
        public long[] atomicRest = new long[2];

        /** qp_type.xrc, padded to a long. */
        public long typeRest;

        /** The union of bind_mw and tso: 48 bytes. */
        public long[] tailRest = new long[6];
    }

    @FieldOrder({"wr_id", "next", "sg_list", "num_sge"})
    public static final class IbvRecvWr extends Declared {
        public long wr_id;
        public Pointer next;
        public Pointer sg_list;
        public int num_sge;
    }

    @FieldOrder({
        "wr_id",
        "status",
        "opcode",
        "vendor_err",
        "byte_len",
        "imm_data",
        "qp_num",
        "src_qp",
        "wc_flags",
        "pkey_index",
        "slid",
        "sl",
        "dlid_path_bits"
    })
    public static final class IbvWc extends Declared {
        public long wr_id;
        public int status;
        public int opcode;
        public int vendor_err;
        public int byte_len;
        public int imm_data;
        public int qp_num;
        public int src_qp;
        public int wc_flags;
        public short pkey_index;
        public short slid;
        public byte sl;
        public byte dlid_path_bits;
    }

    @FieldOrder({
        "qp_context",
        "send_cq",
        "recv_cq",
        "srq",
        "max_send_wr",
        "max_recv_wr",
        "max_send_sge",
        "max_recv_sge",
        "max_inline_data",
        "qp_type",
        "sq_sig_all"
    })
    public static final class IbvQpInitAttr extends Declared {
        public Pointer qp_context;
        public Pointer send_cq;
        public Pointer recv_cq;
        public Pointer srq;
        public int max_send_wr;
        public int max_recv_wr;
        public int max_send_sge;
        public int max_recv_sge;
        public int max_inline_data;
        public int qp_type;
        public int sq_sig_all;
    }

    @FieldOrder({"context", "pd", "addr", "length", "handle", "lkey", "rkey"})
    public static final class IbvMr extends Declared {
        public Pointer context;
        public Pointer pd;
        public Pointer addr;
        public long length;
        public int handle;
        public int lkey;
        public int rkey;
    }

    /** 32 functions in the table, of which four are called. */
    @FieldOrder({
        "device",
        "before",
        "poll_cq",
        "req_notify_cq",
        "between",
        "post_send",
        "post_recv",
        "after",
        "cmd_fd",
        "async_fd",
        "num_comp_vectors",
        "mutex",
        "abi_compat"
    })
    public static final class IbvContext extends Declared {
        public Pointer device;
        public Pointer[] before = new Pointer[11];
        public Pointer poll_cq;
        public Pointer req_notify_cq;
        public Pointer[] between = new Pointer[12];
        public Pointer post_send;
        public Pointer post_recv;
        public Pointer[] after = new Pointer[5];
        public int cmd_fd;
        public int async_fd;
        public int num_comp_vectors;
        /** A pthread_mutex_t. */
        public long[] mutex = new long[5];

        public Pointer abi_compat;
    }

    /** The end of {@code struct verbs_context}, up to its context. */
    @FieldOrder({"query_device_ex", "flowsAndPairs", "context"})
    public static final class VerbsContextEnd extends Declared {
        public Pointer query_device_ex;
        /** ibv_destroy_flow to close_xrcd, with two placeholders, one more placeholder, and the size. */
        public Pointer[] flowsAndPairs = new Pointer[12];

        public Pointer context;
    }

    /** {@code struct ibv_device_attr_ex}. */
    @FieldOrder({
        "fw_ver",
        "node_guid",
        "sys_image_guid",
        "max_mr_size",
        "page_size_cap",
        "vendor_id",
        "restOfOriginal",
        "comp_mask",
        "general_caps",
        "rc_odp_caps",
        "rest"
    })
    public static final class IbvDeviceAttrEx extends Declared {
        public byte[] fw_ver = new byte[64];
        public long node_guid;
        public long sys_image_guid;
        public long max_mr_size;
        public long page_size_cap;
        public int vendor_id;
        public int[] restOfOriginal = new int[33];
        public int comp_mask;
        public long general_caps;
        public int rc_odp_caps;
        public int[] rest = new int[37];
    }

    @FieldOrder({
        "private_data",
        "private_data_len",
        "responder_resources",
        "initiator_depth",
        "flow_control",
        "retry_count",
        "rnr_retry_count",
        "srq",
        "qp_num"
    })
    public static final class RdmaConnParam extends Declared {
        public Pointer private_data;
        public byte private_data_len;
        public byte responder_resources;
        public byte initiator_depth;
        public byte flow_control;
        public byte retry_count;
        public byte rnr_retry_count;
        public byte srq;
        public int qp_num;
    }

    @Test
    void requests_areWhereTheHeaderSaysTheyAre() {
        IbvSge piece = new IbvSge();
        assertThat(piece.size()).isEqualTo(Layout.Piece.BYTES);
        assertThat(piece.at("length")).isEqualTo(Layout.Piece.LENGTH);
        assertThat(piece.at("lkey")).isEqualTo(Layout.Piece.LKEY);
        IbvSendWr send = new IbvSendWr();
        assertThat(send.size()).isEqualTo(Layout.SendRequest.BYTES);
        assertThat(send.at("next")).isEqualTo(Layout.SendRequest.NEXT);
        assertThat(send.at("sg_list")).isEqualTo(Layout.SendRequest.SG_LIST);
        assertThat(send.at("num_sge")).isEqualTo(Layout.SendRequest.NUM_SGE);
        assertThat(send.at("opcode")).isEqualTo(Layout.SendRequest.OPCODE);
        assertThat(send.at("send_flags")).isEqualTo(Layout.SendRequest.SEND_FLAGS);
        assertThat(send.at("remote_addr")).isEqualTo(Layout.SendRequest.REMOTE_ADDR);
        assertThat(send.at("rkey")).isEqualTo(Layout.SendRequest.RKEY);
        IbvRecvWr receive = new IbvRecvWr();
        assertThat(receive.size()).isEqualTo(Layout.ReceiveRequest.BYTES);
        assertThat(receive.at("sg_list")).isEqualTo(Layout.ReceiveRequest.SG_LIST);
        assertThat(receive.at("num_sge")).isEqualTo(Layout.ReceiveRequest.NUM_SGE);
    }

    @Test
    void completions_areWhereTheHeaderSaysTheyAre() {
        IbvWc completion = new IbvWc();
        assertThat(completion.size()).isEqualTo(Layout.WorkCompletion.BYTES);
        assertThat(completion.at("status")).isEqualTo(Layout.WorkCompletion.STATUS);
        assertThat(completion.at("opcode")).isEqualTo(Layout.WorkCompletion.OPCODE);
        assertThat(completion.at("byte_len")).isEqualTo(Layout.WorkCompletion.BYTE_LEN);
        assertThat(completion.at("qp_num")).isEqualTo(Layout.WorkCompletion.QP_NUM);
    }

    @Test
    void setUp_isWhereTheHeaderSaysItIs() {
        IbvQpInitAttr attributes = new IbvQpInitAttr();
        assertThat(attributes.size()).isEqualTo(Layout.QueuePairAttributes.BYTES);
        assertThat(attributes.at("send_cq")).isEqualTo(Layout.QueuePairAttributes.SEND_CQ);
        assertThat(attributes.at("recv_cq")).isEqualTo(Layout.QueuePairAttributes.RECV_CQ);
        assertThat(attributes.at("max_send_wr")).isEqualTo(Layout.QueuePairAttributes.MAX_SEND_WR);
        assertThat(attributes.at("max_inline_data")).isEqualTo(Layout.QueuePairAttributes.MAX_INLINE_DATA);
        assertThat(attributes.at("qp_type")).isEqualTo(Layout.QueuePairAttributes.QP_TYPE);
        assertThat(attributes.at("sq_sig_all")).isEqualTo(Layout.QueuePairAttributes.SQ_SIG_ALL);
        IbvMr registration = new IbvMr();
        assertThat(registration.at("handle")).isEqualTo(Layout.MemoryRegion.HANDLE);
        assertThat(registration.at("lkey")).isEqualTo(Layout.MemoryRegion.LKEY);
        assertThat(registration.at("rkey")).isEqualTo(Layout.MemoryRegion.RKEY);
        IbvContext context = new IbvContext();
        assertThat(context.at("poll_cq")).isEqualTo(Layout.Context.POLL_CQ);
        assertThat(context.at("req_notify_cq")).isEqualTo(Layout.Context.REQ_NOTIFY_CQ);
        assertThat(context.at("post_send")).isEqualTo(Layout.Context.POST_SEND);
        assertThat(context.at("post_recv")).isEqualTo(Layout.Context.POST_RECV);
        assertThat(context.at("cmd_fd")).isEqualTo(Layout.Context.CMD_FD);
        assertThat(context.at("num_comp_vectors")).isEqualTo(Layout.Context.NUM_COMP_VECTORS);
        assertThat(context.at("abi_compat")).isEqualTo(Layout.Context.ABI_COMPAT);
        VerbsContextEnd end = new VerbsContextEnd();
        assertThat(end.at("query_device_ex") - end.at("context")).isEqualTo(Layout.Context.QUERY_DEVICE_EX);
        IbvDeviceAttrEx device = new IbvDeviceAttrEx();
        assertThat(device.size()).isEqualTo(Layout.DeviceAttributes.EXTENDED_BYTES);
        assertThat(device.at("vendor_id")).isEqualTo(Layout.DeviceAttributes.VENDOR_ID);
        assertThat(device.at("general_caps")).isEqualTo(Layout.DeviceAttributes.PAGING_GENERAL);
        assertThat(device.at("rc_odp_caps")).isEqualTo(Layout.DeviceAttributes.PAGING_RELIABLE);
        RdmaConnParam parameters = new RdmaConnParam();
        assertThat(parameters.size()).isEqualTo(Layout.ConnectionParameters.BYTES);
        assertThat(parameters.at("responder_resources")).isEqualTo(Layout.ConnectionParameters.RESPONDER_RESOURCES);
        assertThat(parameters.at("rnr_retry_count")).isEqualTo(Layout.ConnectionParameters.RNR_RETRY_COUNT);
    }
}
