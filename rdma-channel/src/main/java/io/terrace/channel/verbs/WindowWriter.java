package io.terrace.channel.verbs;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.WindowOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A client's end of a landing window: a connection of its own, on which data is written into the window and announced. Used
 * by one thread at a time.
 */
public final class WindowWriter implements WindowOutput {
    private final VerbsLink link;
    private final RegionKey key;
    private final Attachment range;
    private long lastNumber;

    WindowWriter(VerbsLink link, RegionKey key, Attachment range) {
        this.link = link;
        this.key = key;
        this.range = range;
    }

    @Override
    public int bytes() {
        return Math.toIntExact(key.lengthBytes());
    }

    /** @throws ChannelException when the connection has ended */
    @Override
    public boolean write(int at, ByteBuffer data) throws IOException {
        ByteBuffer announcement = LandedMessage.of(key, at, data.remaining()).encode();
        boolean written = link.transfers().land(range, at, data, lastNumber + 1, announcement);
        lastNumber += written ? 1 : 0;
        return written;
    }

    @Override
    public boolean hasEnded() {
        return link.hasEnded();
    }

    @Override
    public void close() throws IOException {
        link.close();
    }
}
