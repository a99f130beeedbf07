package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/**
 * A whole file, mapped shared and writable: the kernels of today's distributions pin a shared mapping for a device only
 * when it is writable, even for a registration that is not (Linux before 6.2).
 *
 * <p>Nobody may use the address once this is closed.
 */
public final class MappedRange implements Closeable {
    private static final int READ_WRITE = 2;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NO_ACCESS = 13;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int PAGE_BYTES = 4096;

    private final long address;
    private final long lengthBytes;

    private MappedRange(long address, long lengthBytes) {
        this.address = address;
        this.lengthBytes = lengthBytes;
    }

    /** @throws IOException when the file may not be written or there is no room in the address space */
    public static MappedRange of(Path file, long lengthBytes) throws IOException {
        int fd = open(file);
        if (fd < 0) {
            throw new IOException(file + " cannot be opened for mapping: errno " + Native.getLastError());
        }
        try {
            long address = Libc.mmap(0, Math.max(lengthBytes, PAGE_BYTES), PROT_READ_WRITE, MAP_SHARED, fd, 0);
            if (address == -1) {
                throw new IOException(file + " cannot be mapped: errno " + Native.getLastError());
            }
            return new MappedRange(address, lengthBytes);
        } finally {
            int unused = Libc.close(fd);
        }
    }

    /** Extents are sealed against writing, so their owner, unless it is root, has to lift the seal for a moment. */
    private static int open(Path file) throws IOException {
        int fd = Libc.open(file.toString(), READ_WRITE | CLOSE_ON_EXEC);
        if (fd >= 0 || Native.getLastError() != NO_ACCESS) {
            return fd;
        }
        Set<PosixFilePermission> sealed = Files.getPosixFilePermissions(file);
        Set<PosixFilePermission> lifted = EnumSet.copyOf(sealed);
        lifted.add(PosixFilePermission.OWNER_WRITE);
        Files.setPosixFilePermissions(file, lifted);
        try {
            return Libc.open(file.toString(), READ_WRITE | CLOSE_ON_EXEC);
        } finally {
            Files.setPosixFilePermissions(file, sealed);
        }
    }

    public long address() {
        return address;
    }

    /** Writes a value over the first bytes. */
    public void fill(byte value, long bytes) {
        new Pointer(address).setMemory(0, bytes, value);
    }

    @Override
    public void close() throws IOException {
        if (Libc.munmap(address, Math.max(lengthBytes, PAGE_BYTES)) != 0) {
            throw new IOException("munmap failed with errno " + Native.getLastError());
        }
    }
}
