package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvContext;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.io.IOException;

/**
 * What a device says of itself.
 *
 * @param vendor who made it
 * @param pagingGeneral {@code ibv_odp_caps.general_caps}; 0 when it does not say
 * @param pagingReliable {@code ibv_odp_caps.per_transport_caps.rc_odp_caps}: what reliable connections may do with memory
 *     that is not pinned
 */
public record DeviceFacts(int vendor, long pagingGeneral, int pagingReliable) {
    /** What DiSNI answers where on-demand paging is not offered. */
    public static final int NO_PAGING = -1;

    /** soft-RoCE. */
    public static final int SOFT_ROCE = 0xffffff;

    private static final long PAGING = 1;
    private static final long EXTENDED = -1;

    /** Asks a device of rdma-core's. */
    public static DeviceFacts of(IbvContext which) throws IOException {
        Handles.Context device = (Handles.Context) which;
        NativeMemory attributes = NativeMemory.allocate(Layout.DeviceAttributes.EXTENDED_BYTES);
        Pointer context = new Pointer(device.address);
        boolean extended = context.getLong(Layout.Context.ABI_COMPAT) == EXTENDED;
        long query = extended ? context.getLong(Layout.Context.QUERY_DEVICE_EX) : 0;
        int error = -1;
        if (query != 0) {
            Object[] arguments = {
                device.address, 0L, attributes.address(), (long) Layout.DeviceAttributes.EXTENDED_BYTES
            };
            error = Function.getFunction(new Pointer(query)).invokeInt(arguments);
        }
        if (error != 0) {
            // The driver supports the basic query only.
            attributes.bytes().put(0, new byte[Layout.DeviceAttributes.EXTENDED_BYTES]);
            RdmaCoreVerbs.require(
                    "ibv_query_device", Libibverbs.ibv_query_device(device.address, attributes.address()));
        }
        return new DeviceFacts(
                attributes.bytes().getInt(Layout.DeviceAttributes.VENDOR_ID),
                attributes.bytes().getLong(Layout.DeviceAttributes.PAGING_GENERAL),
                attributes.bytes().getInt(Layout.DeviceAttributes.PAGING_RELIABLE));
    }

    /**
     * The rights of {@code ibv_odp_transport_cap_bits} that may be relied on, or {@link #NO_PAGING}. soft-RoCE of newer
     * kernels offers it and reads wrong bytes at addresses that are not aligned.
     */
    public int paging() {
        return vendor == SOFT_ROCE || (pagingGeneral & PAGING) == 0 ? NO_PAGING : pagingReliable;
    }
}
