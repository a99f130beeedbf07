package io.terrace.channel.tcp;

import java.nio.ByteBuffer;

/** Receives a whole body in one buffer, from its position to its limit. */
final class BufferSink implements ResponseSink {
    private final ByteBuffer target;

    /** Moved as bytes come. */
    private final ByteBuffer room;

    private final int bodyBytes;

    BufferSink(ByteBuffer target) {
        this.target = target;
        this.room = target.duplicate();
        this.bodyBytes = target.remaining();
    }

    @Override
    public int bodyBytes() {
        return bodyBytes;
    }

    @Override
    public ByteBuffer room() {
        return room;
    }

    @Override
    public boolean landed() {
        if (!room.hasRemaining()) {
            target.position(target.limit());
        }
        return false;
    }

    @Override
    public boolean isStreamed() {
        return false;
    }
}
