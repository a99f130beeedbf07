package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The next DataNode of a block, where the block is open too.
 *
 * @param address its transfer address
 * @param answerTimeoutNs the longest that it may be silent while it owes an answer
 * @param keepAliveNs the longest that it may hear nothing, so that it does not take this DataNode for dead
 * @param unused takes the connection when the block is finalised
 */
public record NextNode(
        WriteConnection connection,
        String address,
        long answerTimeoutNs,
        long keepAliveNs,
        Consumer<WriteConnection> unused)
        implements Closeable {
    @Override
    public void close() throws IOException {
        connection.close();
    }
}
