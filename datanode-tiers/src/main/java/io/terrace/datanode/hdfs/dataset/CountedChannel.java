package io.terrace.datanode.hdfs.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/** A file channel for reading that counts and times what is read and sent; everything else is the file's own channel. */
final class CountedChannel extends FileChannel {

    /** Told of each read: its bytes, negative at the end of the file, and how long it took. */
    interface Counted {
        void accept(long bytes, long tookNs);
    }

    private final FileChannel file;
    private final LongSupplier nanoClock;
    private final Counted counted;

    CountedChannel(FileChannel file, LongSupplier nanoClock, Counted counted) {
        this.file = file;
        this.nanoClock = nanoClock;
        this.counted = counted;
    }

    private void count(long bytes, long beganNs) {
        counted.accept(bytes, nanoClock.getAsLong() - beganNs);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        long beganNs = nanoClock.getAsLong();
        int bytes = file.read(into);
        count(bytes, beganNs);
        return bytes;
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        long beganNs = nanoClock.getAsLong();
        long bytes = file.read(into, offset, length);
        count(bytes, beganNs);
        return bytes;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        long beganNs = nanoClock.getAsLong();
        int bytes = file.read(into, position);
        count(bytes, beganNs);
        return bytes;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        long beganNs = nanoClock.getAsLong();
        long bytes = file.transferTo(position, count, target);
        count(bytes, beganNs);
        return bytes;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return file.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return file.write(from, offset, length);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        return file.write(from, position);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
        return file.transferFrom(from, position, count);
    }

    @Override
    public long position() throws IOException {
        return file.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        file.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        file.force(metaData);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return file.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return file.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }
}
