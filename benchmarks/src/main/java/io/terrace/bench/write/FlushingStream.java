package io.terrace.bench.write;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FSDataOutputStream;

/** Flushes each call's bytes to the DataNode. */
final class FlushingStream extends OutputStream {
    private final FSDataOutputStream out;

    FlushingStream(FSDataOutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        out.write(value);
        out.hflush();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        out.hflush();
    }
}
