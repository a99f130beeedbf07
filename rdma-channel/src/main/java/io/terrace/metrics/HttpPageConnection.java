package io.terrace.metrics;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its answer, on the thread of a {@link HttpPageServer}. Never blocks. */
final class HttpPageConnection {

    /** What there is, under which path. */
    record Page(String path, String contentType, Supplier<String> text) {}

    private static final Logger LOG = LoggerFactory.getLogger(HttpPageConnection.class);
    private static final int MOST_REQUEST_BYTES = 8192;
    private static final int FIRST_BYTES = 512;
    private static final String END_OF_REQUEST = "\r\n\r\n";

    private final SocketChannel channel;
    private final SelectionKey key;
    private ByteBuffer request = ByteBuffer.allocate(FIRST_BYTES);
    private @Nullable ByteBuffer answer;
    private long sinceNs;
    private boolean over;

    HttpPageConnection(SocketChannel channel, SelectionKey key, long nowNs) {
        this.channel = channel;
        this.key = key;
        this.sinceNs = nowNs;
    }

    /** Reads what came and writes what can be written. */
    void serve(Page page, long nowNs) {
        try {
            if (answer == null) {
                hear(page, nowNs);
            }
            ByteBuffer present = answer;
            if (present != null) {
                int unused = channel.write(present);
                over = !present.hasRemaining();
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.debug("A request for figures failed", e);
            over = true;
        }
    }

    /** Whether it is done, or took too long. */
    boolean isOver(long nowNs, long timeoutNs) {
        return over || nowNs - sinceNs > timeoutNs;
    }

    void close() {
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("A connection cannot be closed", e);
        }
    }

    private void hear(Page page, long nowNs) throws IOException {
        if (channel.read(request) < 0) {
            over = true;
            return;
        }
        String head = new String(request.array(), 0, request.position(), StandardCharsets.ISO_8859_1);
        if (head.contains(END_OF_REQUEST)) {
            answer = answer(page, head.substring(0, head.indexOf('\r')));
            sinceNs = nowNs;
            key.interestOps(SelectionKey.OP_WRITE);
        } else if (!request.hasRemaining() && request.capacity() < MOST_REQUEST_BYTES) {
            request = ByteBuffer.allocate(2 * request.capacity()).put(request.flip());
        } else {
            over = !request.hasRemaining();
        }
    }

    private static ByteBuffer answer(Page page, String requestLine) {
        String[] words = requestLine.split(" ", -1);
        if (words.length != 3) {
            return answer("400 Bad Request", page.contentType(), "");
        }
        String path = words[1].split("\\?", 2)[0];
        if (!path.equals(page.path())) {
            return answer("404 Not Found", page.contentType(), "");
        }
        return words[0].equals("GET")
                ? answer("200 OK", page.contentType(), page.text().get())
                : answer("405 Method Not Allowed", page.contentType(), "");
    }

    private static ByteBuffer answer(String status, String contentType, String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        byte[] head = ("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\nContent-Length: " + body.length
                        + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(head.length + body.length)
                .put(head)
                .put(body)
                .flip();
    }
}
