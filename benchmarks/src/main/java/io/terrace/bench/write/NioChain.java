package io.terrace.bench.write;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.measure.ProcessTime;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes, each a {@link NioChainNode}, that hold a file each; the client's end of them. */
final class NioChain implements Closeable {
    private static final int START_SECONDS = 30;
    private static final int CALL_BYTES = 128 << 10;

    private final List<JavaProcess> processes = new ArrayList<>();
    private final List<Path> dirs = new ArrayList<>();
    private final SocketChannel first;

    /** @param dir of their files and logs */
    NioChain(Path dir, int nodes) throws IOException {
        JavaProcess.Home home = new JavaProcess.Home(
                dir.resolve("logs"), ClassPath.ofThisProcess().text());
        List<String> options = List.of("-Xmx64m", "-Djava.library.path=" + System.getProperty("java.library.path", ""));
        boolean up = false;
        try {
            int port = NioChainNode.NO_NEXT;
            for (int i = nodes; i > 0; i--) {
                Path own = Files.createDirectories(dir.resolve("node-" + i));
                JavaProcess process = home.start(
                        "node-" + i,
                        own,
                        options,
                        List.of(NioChainNode.class.getName(), own.toString(), Integer.toString(port)));
                processes.add(process);
                dirs.add(own);
                port = Integer.parseInt(process.awaitRestOfLine(NioChainNode.LISTENS, START_SECONDS));
            }
            first = NioChainNode.connect(port);
            up = true;
        } finally {
            if (!up) {
                stop();
            }
        }
    }

    /** Returns when all have the file. */
    void write(FileContent content, long bytes) throws IOException {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).putLong(0, bytes);
        NioChainNode.send(first, number);
        content.write(Channels.newOutputStream(first), 0, bytes, CALL_BYTES);
        if (!NioChainNode.receive(first, number.clear())) {
            throw new EOFException("the chain has ended");
        }
    }

    /** Compares what each wrote with what was sent, and removes it. */
    void compareAndRemove(FileContent content, long bytes) throws IOException {
        for (Path dir : dirs) {
            try (InputStream in = Files.newInputStream(NioChainNode.dataFile(dir))) {
                content.requireIn(in, bytes);
            }
            Files.delete(NioChainNode.dataFile(dir));
            Files.delete(NioChainNode.sumFile(dir));
        }
    }

    List<ProcessTime> times() {
        return processes.stream()
                .map(process -> new ProcessTime("chain of NIO", () -> Optional.of(process.handle())))
                .toList();
    }

    @Override
    public void close() throws IOException {
        first.close();
        stop();
    }

    private void stop() throws IOException {
        for (JavaProcess process : processes) {
            process.close();
        }
    }
}
