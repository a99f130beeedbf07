package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that open HDFS themselves, where its address is wrong or nobody answers there. */
class FileSystemOfCommandsTest {

    @TempDir
    Path dir;

    private CtlSession at(String fileSystem) throws IOException {
        return CtlSession.of(dir.resolve("conf"), URI.create(fileSystem), "127.0.0.1:1");
    }

    @ParameterizedTest
    @CsvSource({"annotate /x place=never", "release /x", "leftovers", "check /x"})
    void unknownHost_isToldInOneLine(String command) throws IOException {
        CtlSession session = at("hdfs://no.such.host.invalid:8020");

        assertThat(session.run(command.split(" "))).isEqualTo(1);

        assertThat(session.err)
                .contains("hdfs://no.such.host.invalid:8020 cannot be opened", "no.such.host.invalid", "fs.defaultFS")
                .doesNotContain("\tat ")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"annotate /x place=never", "leftovers"})
    void fileSystemWithoutAttributes_isToldInOneLine(String command) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.replaceAll(word -> word.equals("/x") ? dir.toString() : word);
        if (command.equals("leftovers")) {
            arguments.add(dir.toString());
        }
        CtlSession session = at("file:///");

        assertThat(session.run(arguments.toArray(String[]::new))).isEqualTo(1);

        assertThat(session.err).contains("support").doesNotContain("\tat ").hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotate //x place=never", "release //x", "leftovers //x", "check //x"})
    void pathThatBeginsWithTwoSlashes_isUsage(String command) throws IOException {
        CtlSession session = at("file:///");
        assertThat(session.run(command.split(" "))).isEqualTo(2);
        assertThat(session.err).contains("'//x' is no absolute path");
    }

    /** As where a firewall drops packets. */
    @Test
    @Timeout(90)
    void nameNodeThatDoesNotAnswer_isGivenUpWithinAMinute() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, waiting);
            CtlSession session = at("hdfs://127.0.0.1:" + full.getLocalPort());
            long beganNs = System.nanoTime();

            assertThat(session.run("check", "/x")).isEqualTo(1);

            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs))
                    .isLessThan(60);
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static void fill(ServerSocket server, List<Socket> waiting) throws IOException {
        while (waiting.size() < 10) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(new InetSocketAddress("127.0.0.1", server.getLocalPort()), 500);
            } catch (SocketTimeoutException isFull) {
                return;
            }
        }
    }
}
