package io.terrace.channel.verbs.rdmacore;

/** Waits for something to read at a file descriptor. */
final class Readable {
    private Readable() {}

    /** Whether there is something within so many milliseconds. */
    static boolean within(int fd, int timeoutMs) {
        NativeMemory memory = NativeMemory.allocate(Layout.PollDescriptor.BYTES);
        memory.bytes()
                .putInt(Layout.PollDescriptor.FD, fd)
                .putShort(Layout.PollDescriptor.EVENTS, Layout.PollDescriptor.POLLIN);
        int ready = Libc.poll(memory.address(), 1, timeoutMs);
        memory.keep();
        return ready > 0;
    }
}
