package io.terrace.datanode.write;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Turns of writers and forwarders, and what clients are told, in many orders of their steps. */
class ForwardChainTest {
    private static final int SEEDS = 20_000;
    private static final int SEEDS_TO_FIND = 20;
    private static final int MOST_NODES = 4;

    @TempDir
    Path directory;

    private final List<SocketChannel[]> links = new ArrayList<>();

    @BeforeEach
    void connect() throws IOException {
        links.clear();
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s" + System.nanoTime()));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            for (int i = 0; i < MOST_NODES; i++) {
                SocketChannel client = SocketChannel.open(address);
                links.add(new SocketChannel[] {server.accept(), client});
            }
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        for (SocketChannel[] link : links) {
            link[0].close();
            link[1].close();
        }
    }

    @Test
    void whatTheClientIsToldIsSoInAnyOrder() throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                run(seed, ChainBug.NONE);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(ChainBug bug) {
        assertThrows(AssertionError.class, () -> {
            for (long seed = 1; seed <= SEEDS_TO_FIND; seed++) {
                // Answers of a seed that failed are not the next one's.
                disconnect();
                connect();
                run(seed, bug);
            }
        });
    }

    private void run(long seed, ChainBug bug) throws IOException {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        int nodes = bug == ChainBug.NONE ? 1 + random.nextInt(MOST_NODES) : 3;
        new ForwardChain(nodes, links, bug).run(random);
    }
}
