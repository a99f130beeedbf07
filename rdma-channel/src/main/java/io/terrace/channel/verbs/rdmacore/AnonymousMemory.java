package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.Closeable;
import java.io.IOException;

/**
 * Memory of the process that belongs to no file and stays where it is until it is closed: neither the collector nor the
 * limit of direct buffers has to do with it. Nobody may use the address once this is closed.
 */
public final class AnonymousMemory implements Closeable {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    private final long address;
    private final int lengthBytes;

    private AnonymousMemory(long address, int lengthBytes) {
        this.address = address;
        this.lengthBytes = lengthBytes;
    }

    /**
     * A copy of some bytes, at least one.
     *
     * @throws IOException when the system has no memory for it
     */
    public static AnonymousMemory copyOf(byte[] bytes) throws IOException {
        long address = Libc.mmap(0, bytes.length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (address == -1) {
            throw new IOException(bytes.length + " bytes of memory cannot be had: errno " + Native.getLastError());
        }
        new Pointer(address).write(0, bytes, 0, bytes.length);
        return new AnonymousMemory(address, bytes.length);
    }

    public long address() {
        return address;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    @Override
    public void close() throws IOException {
        if (Libc.munmap(address, lengthBytes) != 0) {
            throw new IOException("munmap failed with errno " + Native.getLastError());
        }
    }
}
