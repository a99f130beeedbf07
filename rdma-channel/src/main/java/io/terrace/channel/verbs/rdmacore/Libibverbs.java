package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;

/**
 * The exported functions of libibverbs that are called here. Pointers and sizes are longs, so a call boxes nothing.
 * Posting and polling are inline in C and go through the context's table of functions, see {@link Layout}.
 */
final class Libibverbs {
    static {
        Native.register(Libibverbs.class, "libibverbs.so.1");
    }

    private Libibverbs() {}

    static native long ibv_get_device_list(long countOut);

    static native void ibv_free_device_list(long devices);

    static native String ibv_get_device_name(long device);

    static native int ibv_query_device(long context, long attributesOut);

    static native long ibv_alloc_pd(long context);

    static native int ibv_dealloc_pd(long domain);

    static native long ibv_reg_mr(long domain, long address, long lengthBytes, int access);

    static native int ibv_dereg_mr(long region);

    static native long ibv_create_comp_channel(long context);

    static native int ibv_destroy_comp_channel(long channel);

    static native long ibv_create_cq(long context, int entries, long user, long channel, int vector);

    static native int ibv_destroy_cq(long queue);

    static native int ibv_get_cq_event(long channel, long queueOut, long userOut);

    static native void ibv_ack_cq_events(long queue, int events);
}
