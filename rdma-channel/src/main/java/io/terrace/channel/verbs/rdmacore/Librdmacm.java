package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;

/** The exported functions of librdmacm that are called here; they return 0, or -1 with errno. */
final class Librdmacm {
    static {
        Native.register(Librdmacm.class, "librdmacm.so.1");
    }

    private Librdmacm() {}

    static native long rdma_create_event_channel();

    static native void rdma_destroy_event_channel(long channel);

    static native int rdma_create_id(long channel, long idOut, long user, int portSpace);

    static native int rdma_destroy_id(long id);

    static native int rdma_bind_addr(long id, long address);

    static native int rdma_listen(long id, int backlog);

    static native int rdma_resolve_addr(long id, long source, long destination, int timeoutMs);

    static native int rdma_resolve_route(long id, int timeoutMs);

    static native int rdma_create_qp(long id, long domain, long attributes);

    static native void rdma_destroy_qp(long id);

    static native int rdma_connect(long id, long parameters);

    static native int rdma_accept(long id, long parameters);

    static native int rdma_disconnect(long id);

    static native int rdma_get_cm_event(long channel, long eventOut);

    static native int rdma_ack_cm_event(long event);
}
