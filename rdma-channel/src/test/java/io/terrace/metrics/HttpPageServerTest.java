package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What strangers can do to the figures' port: little. */
class HttpPageServerTest {
    private static final InetSocketAddress ANYWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int STRANGERS = 200;
    private static final int PATIENCE_MS = 60_000;
    private static final long LONG_NS = TimeUnit.HOURS.toNanos(1);

    private static HttpPageServer server(String text, int connections, long timeoutNs) throws IOException {
        return new HttpPageServer(
                ANYWHERE, "/metrics", "text/plain", () -> text, new HttpPageServer.Limits(connections, timeoutNs));
    }

    private static Socket connect(HttpPageServer server, String sent) throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        try (socket) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /metrics HTTP/1.1, 200 OK",
        "GET /metrics?name=x HTTP/1.0, 200 OK",
        "GET /metrics/other HTTP/1.1, 404",
        "POST /metrics HTTP/1.1, 405",
        "anything, 400"
    })
    void request_ofAKind_isAnswered(String request, String status) throws IOException {
        try (HttpPageServer server = server("the page", 4, LONG_NS)) {
            String answer = answer(connect(server, request + "\r\nHost: x\r\n\r\n"));
            assertThat(answer).startsWith("HTTP/1.1 " + status);
            assertThat(answer.endsWith("\r\n\r\nthe page")).isEqualTo(status.startsWith("200"));
        }
    }

    @Test
    void silentConnections_keepNobodyOut_andFewStayOpen() throws IOException {
        List<Socket> silent = new ArrayList<>();
        try (HttpPageServer server = server("the page", HttpPageServer.Limits.DEFAULT.connections(), LONG_NS)) {
            for (int i = 0; i < STRANGERS; i++) {
                silent.add(connect(server, "G"));
                if (i % 50 == 0) {
                    assertThat(answer(connect(server, "GET /metrics HTTP/1.1\r\n\r\n")))
                            .endsWith("the page");
                }
            }
            assertThat(answer(connect(server, "GET /metrics HTTP/1.1\r\n\r\n"))).endsWith("the page");
            assertThat(server.connections()).isLessThanOrEqualTo(HttpPageServer.Limits.DEFAULT.connections());
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    /** Half a request, an answer that is not taken, a request without end. */
    @Test
    void connection_thatTakesItsTime_isEnded() throws IOException {
        String large = "x".repeat(32 << 20);
        try (HttpPageServer server = server(large, 4, TimeUnit.MILLISECONDS.toNanos(50));
                Socket half = connect(server, "GET /metrics HTTP/1.1\r\nHost");
                Socket deaf = connect(server, "GET /metrics HTTP/1.1\r\n\r\n")) {
            half.setSoTimeout(PATIENCE_MS);
            assertThat(half.getInputStream().read()).isEqualTo(-1);
            await().until(() -> server.connections() == 0);
            deaf.setSoTimeout(PATIENCE_MS);
            assertThat(answer(deaf).length()).isLessThan(large.length());
        } catch (SocketException e) {
            // What it had not taken is gone with the connection.
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void request_withoutEnd_isCut() throws IOException {
        try (HttpPageServer server = server("the page", 4, LONG_NS);
                Socket endless = connect(server, "GET /metrics HTTP/1.1\r\n")) {
            await().until(() -> server.connections() == 1);
            byte[] more = "Header: value\r\n".repeat(100).getBytes(StandardCharsets.ISO_8859_1);
            await().until(() -> {
                try {
                    endless.getOutputStream().write(more);
                    return false;
                } catch (SocketException e) {
                    return true;
                }
            });
            await().until(() -> server.connections() == 0);
        }
    }
}
