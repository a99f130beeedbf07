package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaVerbs;
import io.terrace.channel.transport.Access;
import io.terrace.channel.verbs.rdmacore.LockedMemory;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One device and a protection domain on it: keys are good for the queue pairs of the same domain only. A process that
 * serves ranges and one that reads them have one each. Thread-safe.
 */
public final class ProtectionDomain implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ProtectionDomain.class);

    private final RdmaVerbs verbs;
    private final IbvContext device;
    private final IbvPd domain;
    private final DeviceCounters deviceCounters;
    private final RegisteredBuffers buffers;
    private final OnDemandPaging paging;

    /** @param paging whether ranges are registered without pinning them, where the device may be trusted with it */
    public ProtectionDomain(RdmaVerbs verbs, IbvContext device, DeviceCounters deviceCounters, boolean paging)
            throws IOException {
        this.verbs = verbs;
        this.paging = paging ? new OnDemandPaging(verbs.queryOdpSupport(device)) : OnDemandPaging.NONE;
        if (paging && this.paging.right(Access.READ) == 0) {
            LOG.warn("On-demand paging is wanted, and this device is not known to do it right: "
                    + "what is registered is pinned");
        }
        this.device = device;
        this.deviceCounters = deviceCounters;
        this.domain = verbs.allocPd(device);
        deviceCounters.domains.incrementAndGet();
        try {
            this.buffers = new RegisteredBuffers(this);
        } catch (IOException | RuntimeException e) {
            CloseAll.after(e, List.of(this::deallocate));
            throw new IOException(
                    "the buffers that reads go through, " + (RegisteredBuffers.SLAB_BYTES >> 20)
                            + " MB, cannot be registered (limit of locked memory: " + LockedMemory.limit() + "): "
                            + e.getMessage(),
                    e);
        }
    }

    public RdmaVerbs verbs() {
        return verbs;
    }

    public IbvContext device() {
        return device;
    }

    IbvPd protection() {
        return domain;
    }

    public DeviceCounters deviceCounters() {
        return deviceCounters;
    }

    public RegisteredBuffers buffers() {
        return buffers;
    }

    public OnDemandPaging paging() {
        return paging;
    }

    /** Registers memory that stays where it is until {@link #deregister}. */
    public IbvMr register(long address, int lengthBytes, int access) throws IOException {
        IbvMr registration = verbs.regMr(domain, address, lengthBytes, access)
                .execute()
                .free()
                .getMr();
        deviceCounters.registered.increment();
        deviceCounters.registrations.incrementAndGet();
        deviceCounters.registeredBytes.addAndGet(lengthBytes);
        return registration;
    }

    public void deregister(IbvMr registration) throws IOException {
        verbs.deregMr(registration).execute().free();
        deviceCounters.registrations.decrementAndGet();
        deviceCounters.registeredBytes.addAndGet(-registration.getLength());
    }

    @Override
    public void close() throws IOException {
        CloseAll.all(buffers, this::deallocate);
    }

    private void deallocate() throws IOException {
        verbs.deallocPd(domain);
        deviceCounters.domains.decrementAndGet();
    }
}
