package io.terrace.channel.shm;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.Completion.Status;
import io.terrace.channel.transport.WritableExtent;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An attached extent file: operations end before they return, so their completions are there at once. */
final class ShmRegion implements WritableExtent {
    private final ShmLink link;
    private final ExtentFile file;

    ShmRegion(ShmLink link, ExtentFile file) {
        this.link = link;
        this.file = file;
    }

    @Override
    public long lengthBytes() {
        return file.lengthBytes();
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        requireUsable(timeoutNs);
        int wanted = target.remaining();
        if (offset < 0 || offset + wanted > file.lengthBytes()) {
            throw new ChannelException(Status.NO_ACCESS, "a read beyond the range", null);
        }
        int got = file.read(offset, target);
        if (got < wanted) {
            throw new ChannelException(Status.SHORT, "the extent was cut: " + got + " of " + wanted + " bytes", null);
        }
    }

    @Override
    public void write(long offset, ByteBuffer source, long timeoutNs) throws IOException {
        requireUsable(timeoutNs);
        file.write(offset, source);
    }

    @Override
    public long postRead(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        int wanted = target.remaining();
        return link.completions().run(wanted, () -> read(offset, target, timeoutNs));
    }

    @Override
    public long postWrite(long offset, ByteBuffer source, long timeoutNs) throws IOException {
        int wanted = source.remaining();
        return link.completions().run(wanted, () -> write(offset, source, timeoutNs));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private void requireUsable(long timeoutNs) throws ChannelException {
        if (link.hasEnded()) {
            throw new ChannelException(Status.DISCONNECTED, "the link has ended", null);
        }
        if (timeoutNs <= 0) {
            throw new ChannelException(Status.DEADLINE, "no time is left", null);
        }
    }
}
