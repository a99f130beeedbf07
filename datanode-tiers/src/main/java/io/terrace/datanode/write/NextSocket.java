package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/**
 * The socket to the next DataNode, as the replica's writer uses it: where it is full, the writer waits for a moment, as far as
 * its {@link WaitCredit} lasts. What is sent then need not be read back from the replica's files. Used by the writer.
 */
final class NextSocket implements Closeable {
    private final WriteConnection connection;
    private final WaitCredit credit;

    /** Opened when it is first needed. The forwarder has another one, for the same connection. */
    private @Nullable Selector selector;

    private long waitedNs;

    NextSocket(WriteConnection connection, WaitCredit credit) {
        this.connection = connection;
        this.credit = credit;
    }

    /** How long the writer has waited so far. */
    long waitedNs() {
        return waitedNs;
    }

    /** Sends two buffers, one after the other, as far as the socket takes them in time; whether that was all. */
    boolean send(ByteBuffer first, ByteBuffer second) throws IOException {
        credit.earn(second.remaining());
        boolean all = connection.send(first, second);
        while (!all && credit.leftMs() > 0 && await(credit.leftMs())) {
            all = connection.send(first, second);
        }
        return all;
    }

    /** False when the thread is interrupted, since a selector waits no more then. */
    private boolean await(long timeoutMs) throws IOException {
        Selector own = selector;
        if (own == null) {
            own = Selector.open();
            selector = own;
            connection.registerOutput(own);
        }
        long beganNs = System.nanoTime();
        own.select(timeoutMs);
        own.selectedKeys().clear();
        long tookNs = System.nanoTime() - beganNs;
        credit.spend(tookNs);
        waitedNs += tookNs;
        return !Thread.currentThread().isInterrupted();
    }

    /** Nothing more is sent by the writer. */
    @Override
    public void close() throws IOException {
        if (selector != null) {
            selector.close();
        }
    }
}
