package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.transport.Access;

/**
 * Registrations that pin nothing: the device faults pages in as it meets them (on-demand paging). Asked for by the operator
 * and done only where the device is known to do it right; ranges are pinned otherwise.
 *
 * @param support the rights that a device has on such memory, as {@code RdmaVerbs.queryOdpSupport} says; negative for none
 */
public record OnDemandPaging(int support) {
    /** Everything is pinned. */
    public static final OnDemandPaging NONE = new OnDemandPaging(-1);

    /** IBV_ODP_SUPPORT_WRITE and IBV_ODP_SUPPORT_READ. */
    public static final int WRITE = 4;

    public static final int READ = 8;

    /** The right to register a range without pinning it; 0 where it is to be pinned. */
    public int right(Access access) {
        int wanted = access == Access.READ ? READ : READ | WRITE;
        return support >= 0 && (support & wanted) == wanted ? IbvMr.IBV_ACCESS_ON_DEMAND : 0;
    }
}
