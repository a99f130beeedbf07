package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;

/** The C library's functions that the JDK does not offer. */
final class Libc {
    static {
        Native.register(Libc.class, "c");
    }

    private Libc() {}

    static native int open(String path, int flags);

    static native int close(int fd);

    static native long mmap(long address, long lengthBytes, int protection, int flags, int fd, long offset);

    static native int munmap(long address, long lengthBytes);

    static native int fcntl(int fd, int command, int argument);

    static native int poll(long descriptors, long count, int timeoutMs);

    static native int getrlimit(int resource, long limitOut);
}
