package io.terrace.bench.simulation.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * An open descriptor of a {@link MemoryFile}. Every read and write passes the guard first, where time passes and disks
 * fail.
 */
public final class MemoryChannel extends FileChannel {

    /** Runs before bytes are read or written. */
    public interface Guard {
        /**
         * Admits some bytes.
         *
         * @param bytes how many may move now
         * @return how many do
         */
        int admit(int bytes) throws IOException;
    }

    private final MemoryFile file;
    private final boolean writable;
    private final Guard guard;
    private final Runnable closed;
    private long position;

    /** @param closed run when it is closed */
    public MemoryChannel(MemoryFile file, boolean writable, Guard guard, Runnable closed) {
        this.file = file;
        this.writable = writable;
        this.guard = guard;
        this.closed = closed;
    }

    /** Opened by this process, which has it among its descriptors until it is closed. */
    public static MemoryChannel opened(OsProcess process, MemoryFile file, boolean writable, Guard guard) {
        process.descriptorOpened();
        return new MemoryChannel(file, writable, guard, process::descriptorClosed);
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        int read = read(to, position);
        position += Math.max(0, read);
        return read;
    }

    @Override
    public int read(ByteBuffer to, long from) throws IOException {
        if (!to.hasRemaining()) {
            return 0;
        }
        int admitted = guard.admit(to.remaining());
        int count = file.read((int) from, to, admitted);
        return count == 0 ? -1 : count;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (!writable) {
            throw new NonWritableChannelException();
        }
        byte[] bytes = admitted(from);
        file.append(bytes, 0, bytes.length);
        return bytes.length;
    }

    private byte[] admitted(ByteBuffer from) throws IOException {
        byte[] bytes = new byte[guard.admit(from.remaining())];
        from.get(bytes);
        return bytes;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public FileChannel position(long newPosition) {
        position = newPosition;
        return this;
    }

    @Override
    public long size() {
        return file.lengthBytes();
    }

    @Override
    public FileChannel truncate(long lengthBytes) {
        file.truncate((int) lengthBytes);
        return this;
    }

    @Override
    public void force(boolean metaData) {
        file.sync();
    }

    @Override
    protected void implCloseChannel() {
        closed.run();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel to) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) count);
        read(piece, from);
        return to.write(piece.flip());
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long at, long count) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) count);
        from.read(piece);
        return write(piece.flip());
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) {
        throw new UnsupportedOperationException("scattering reads");
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException("gathering writes");
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        byte[] bytes = admitted(from);
        file.write((int) at, bytes);
        return bytes.length;
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long from, long count) {
        throw new UnsupportedOperationException("mapping");
    }

    @Override
    public FileLock lock(long from, long count, boolean shared) {
        throw new UnsupportedOperationException("locks");
    }

    @Override
    public FileLock tryLock(long from, long count, boolean shared) {
        throw new UnsupportedOperationException("locks");
    }
}
