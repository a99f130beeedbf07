package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

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
        AnonymousMemory memory = allocate(bytes.length);
        new Pointer(memory.address).write(0, bytes, 0, bytes.length);
        return memory;
    }

    /**
     * Memory of so many bytes, at least one, all 0.
     *
     * @throws IOException when the system has no memory for it
     */
    public static AnonymousMemory allocate(int lengthBytes) throws IOException {
        long address = Libc.mmap(0, lengthBytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (address == -1) {
            throw new IOException(lengthBytes + " bytes of memory cannot be had: errno " + Native.getLastError());
        }
        return new AnonymousMemory(address, lengthBytes);
    }

    public long address() {
        return address;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** The memory itself; whoever touches this once it is closed ends the process. */
    public ByteBuffer bytes() {
        return new Pointer(address).getByteBuffer(0, lengthBytes);
    }

    @Override
    public void close() throws IOException {
        if (Libc.munmap(address, lengthBytes) != 0) {
            throw new IOException("munmap failed with errno " + Native.getLastError());
        }
    }
}
