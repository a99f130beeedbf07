package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaVerbs;
import io.terrace.channel.Access;
import io.terrace.channel.verbs.rdmacore.LockedMemory;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * One device and a protection domain on it: keys are good for the queue pairs of the same domain only. A process that
 * serves ranges and one that reads them have one each. Thread-safe.
 */
final class Domain implements Closeable {
    private final RdmaVerbs verbs;
    private final IbvContext device;
    private final IbvPd domain;
    private final Counts counts;
    private final LocalBuffers buffers;
    private final Paging paging;

    /** @param paging whether ranges are registered without pinning them, where the device may be trusted with it */
    Domain(RdmaVerbs verbs, IbvContext device, Counts counts, boolean paging) throws IOException {
        this.verbs = verbs;
        this.paging = paging ? new Paging(verbs.queryOdpSupport(device)) : Paging.NONE;
        if (paging && this.paging.right(Access.READ) == 0) {
            VerbsProvider.LOG.warn("On-demand paging is wanted, and this device is not known to do it right: "
                    + "what is registered is pinned");
        }
        this.device = device;
        this.counts = counts;
        this.domain = verbs.allocPd(device);
        counts.domains.incrementAndGet();
        try {
            this.buffers = new LocalBuffers(this);
        } catch (IOException | RuntimeException e) {
            Closing.after(e, List.of(this::deallocate));
            throw new IOException(
                    "the buffers that reads go through, " + (LocalBuffers.SLAB_BYTES >> 20)
                            + " MB, cannot be registered (limit of locked memory: " + LockedMemory.limit() + "): "
                            + e.getMessage(),
                    e);
        }
    }

    RdmaVerbs verbs() {
        return verbs;
    }

    IbvContext device() {
        return device;
    }

    IbvPd protection() {
        return domain;
    }

    Counts counts() {
        return counts;
    }

    LocalBuffers buffers() {
        return buffers;
    }

    Paging paging() {
        return paging;
    }

    /** Registers memory that stays where it is until {@link #deregister}. */
    IbvMr register(long address, int lengthBytes, int access) throws IOException {
        IbvMr registration = verbs.regMr(domain, address, lengthBytes, access)
                .execute()
                .free()
                .getMr();
        counts.registered.increment();
        counts.registrations.incrementAndGet();
        counts.registeredBytes.addAndGet(lengthBytes);
        return registration;
    }

    void deregister(IbvMr registration) throws IOException {
        verbs.deregMr(registration).execute().free();
        counts.registrations.decrementAndGet();
        counts.registeredBytes.addAndGet(-registration.getLength());
    }

    @Override
    public void close() throws IOException {
        Closing.all(buffers, this::deallocate);
    }

    private void deallocate() throws IOException {
        verbs.deallocPd(domain);
        counts.domains.decrementAndGet();
    }
}
