package io.terrace.datanode.write;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** DataNodes of a block, real ones and fakes, and clients; all are closed with it. */
final class Pipeline implements AutoCloseable {
    static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    private final Path directory;
    private final List<AutoCloseable> toClose = new ArrayList<>();

    Pipeline(Path directory) {
        this.directory = directory;
    }

    static byte[] contents(int bytes) {
        byte[] contents = new byte[bytes];
        new Random(bytes).nextBytes(contents);
        return contents;
    }

    WriteNode node(String name, InetSocketAddress next, long answerTimeoutNs) throws IOException {
        return node(name, next, answerTimeoutNs, WriteNode.LAG_BYTES);
    }

    WriteNode node(String name, InetSocketAddress next, long answerTimeoutNs, long lagBytes) throws IOException {
        return closing(new WriteNode(directory, name, next, answerTimeoutNs, lagBytes));
    }

    /** Three DataNodes. */
    List<WriteNode> chain() throws IOException {
        WriteNode third = closing(new WriteNode(directory, "third", null, LONG_NS, WriteNode.LAG_BYTES));
        WriteNode second = node("second", third.address(), LONG_NS);
        return List.of(node("first", second.address(), LONG_NS), second, third);
    }

    /** @param answer to the request to open a block */
    FakeNext fakeNext(String answer) throws IOException {
        return closing(new FakeNext(answer));
    }

    Frames client(WriteNode node, byte[] contents) throws IOException {
        return closing(new Frames(node.address(), contents));
    }

    private <T extends AutoCloseable> T closing(T made) {
        toClose.add(made);
        return made;
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }
}
