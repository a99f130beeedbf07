package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The next DataNode of a block, where the block is open too. Whoever gives its connection back, or closes it, is the first and
 * the last to do so: a connection that was given back may serve another block. Thread-safe.
 */
public final class NextNode implements Closeable {
    private final WriteConnection connection;
    private final String address;
    private final long answerTimeoutNs;
    private final long keepAliveNs;
    private final Consumer<WriteConnection> unused;
    private final AtomicBoolean left = new AtomicBoolean();

    /**
     * One with the block open.
     *
     * @param address its transfer address
     * @param answerTimeoutNs the longest that it may be silent while it owes an answer
     * @param keepAliveNs the longest that it may hear nothing, so that it does not take this DataNode for dead
     * @param unused takes the connection when the block is finalised
     */
    public NextNode(
            WriteConnection connection,
            String address,
            long answerTimeoutNs,
            long keepAliveNs,
            Consumer<WriteConnection> unused) {
        this.connection = connection;
        this.address = address;
        this.answerTimeoutNs = answerTimeoutNs;
        this.keepAliveNs = keepAliveNs;
        this.unused = unused;
    }

    public WriteConnection connection() {
        return connection;
    }

    public String address() {
        return address;
    }

    long answerTimeoutNs() {
        return answerTimeoutNs;
    }

    long keepAliveNs() {
        return keepAliveNs;
    }

    /** The block is finalised from that DataNode on: the connection may serve another one. */
    public void giveBack() {
        if (left.compareAndSet(false, true)) {
            unused.accept(connection);
        }
    }

    /** Ends the connection, unless it was given back. */
    @Override
    public void close() throws IOException {
        if (left.compareAndSet(false, true)) {
            connection.close();
        }
    }
}
