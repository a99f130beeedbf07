package io.terrace.datanode.hdfs.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongConsumer;

/** A file channel for reading that counts what is read and sent; everything else is the file's own channel. */
final class CountedChannel extends FileChannel {

    private final FileChannel file;
    private final LongConsumer counted;

    CountedChannel(FileChannel file, LongConsumer counted) {
        this.file = file;
        this.counted = counted;
    }

    private int count(int bytes) {
        if (bytes > 0) {
            counted.accept(bytes);
        }
        return bytes;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return count(file.read(into));
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        long bytes = file.read(into, offset, length);
        if (bytes > 0) {
            counted.accept(bytes);
        }
        return bytes;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return count(file.read(into, position));
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        long bytes = file.transferTo(position, count, target);
        if (bytes > 0) {
            counted.accept(bytes);
        }
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
