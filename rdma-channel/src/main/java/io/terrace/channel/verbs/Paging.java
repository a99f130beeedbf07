package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.Access;

/**
 * Registrations that pin nothing: the device faults pages in as it meets them (on-demand paging). Asked for by the operator
 * and done only where the device is known to do it right; ranges are pinned otherwise.
 *
 * @param support the rights that a device has on such memory, as {@code RdmaVerbs.queryOdpSupport} says; negative for none
 */
record Paging(int support) {
    /** Everything is pinned. */
    static final Paging NONE = new Paging(-1);

    /** IBV_ODP_SUPPORT_WRITE and IBV_ODP_SUPPORT_READ. */
    static final int WRITE = 4;

    static final int READ = 8;

    /** The right to register a range without pinning it; 0 where it is to be pinned. */
    int right(Access access) {
        int wanted = access == Access.READ ? READ : READ | WRITE;
        return support >= 0 && (support & wanted) == wanted ? IbvMr.IBV_ACCESS_ON_DEMAND : 0;
    }
}
