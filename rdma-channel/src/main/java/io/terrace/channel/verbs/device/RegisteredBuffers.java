package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Registered buffers that one-sided operations go through, so that no operation registers anything: small ones for reads
 * of a page and for checksums, large ones for the rest. One slab for each device of a process, 14 MB. Thread-safe.
 */
public final class RegisteredBuffers implements Closeable {
    public static final int SMALL_BYTES = 8 * 1024;
    public static final int LARGE_BYTES = 128 * 1024;

    private static final int SMALLS = 256;
    private static final int LARGES = 96;

    static final int SLAB_BYTES = SMALLS * SMALL_BYTES + LARGES * LARGE_BYTES;

    private final ProtectionDomain domain;
    private final NativeMemory slab;
    private final IbvMr registration;
    private final ByteBuffer[] buffers = new ByteBuffer[SMALLS + LARGES];
    private final ByteBuffer[] views = new ByteBuffer[SMALLS + LARGES];
    private final IndexPool smalls = new IndexPool(SMALLS);
    private final IndexPool larges = new IndexPool(LARGES);

    RegisteredBuffers(ProtectionDomain domain) throws IOException {
        this.domain = domain;
        this.slab = NativeMemory.allocate(SLAB_BYTES);
        this.registration = domain.register(slab.address(), slab.bytes().capacity(), IbvMr.IBV_ACCESS_LOCAL_WRITE);
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = slab.bytes().slice(offset(i), sizeBytes(i));
            views[i] = buffers[i].duplicate();
        }
    }

    /** A buffer of the kind, or -1 when all are lent. */
    public int take(boolean large) {
        int index;
        synchronized (this) {
            index = large ? larges.take() : smalls.take();
        }
        if (index < 0) {
            return -1;
        }
        domain.deviceCounters().lentBuffers.incrementAndGet();
        return large ? SMALLS + index : index;
    }

    public void give(int buffer) {
        synchronized (this) {
            if (buffer >= SMALLS) {
                larges.give(buffer - SMALLS);
            } else {
                smalls.give(buffer);
            }
        }
        domain.deviceCounters().lentBuffers.decrementAndGet();
    }

    /** The buffer itself; only its absolute accessors may be used. */
    public ByteBuffer bytes(int buffer) {
        return buffers[buffer];
    }

    /** A view of the buffer, whose position and limit are for whoever has it lent. */
    public ByteBuffer view(int buffer) {
        return views[buffer].clear();
    }

    public long address(int buffer) {
        return slab.address() + offset(buffer);
    }

    public int localKey() {
        return registration.getLkey();
    }

    static int sizeBytes(int buffer) {
        return buffer >= SMALLS ? LARGE_BYTES : SMALL_BYTES;
    }

    @Override
    public void close() throws IOException {
        domain.deregister(registration);
    }

    private static int offset(int buffer) {
        return buffer >= SMALLS ? SMALLS * SMALL_BYTES + (buffer - SMALLS) * LARGE_BYTES : buffer * SMALL_BYTES;
    }
}
