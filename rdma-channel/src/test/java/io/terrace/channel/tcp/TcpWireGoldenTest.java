package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.server.ReceivedMessages;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes that go over tcp, of every request and answer, as a client and as an owner of other versions speak them. */
final class TcpWireGoldenTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final TcpLimits LIMITS = new TcpLimits(64, 64, 1, 256, 8 << 20, 20_000, 300_000);

    @TempDir
    Path dir;

    private final ReceivedMessages received = new ReceivedMessages();

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static void send(Socket socket, String hex) throws IOException {
        socket.getOutputStream().write(bytes(hex));
    }

    private static void expect(Socket socket, String hex) throws IOException {
        byte[] expected = bytes(hex);
        socket.setSoTimeout(20_000);
        assertThat(HexFormat.of().formatHex(socket.getInputStream().readNBytes(expected.length)))
                .isEqualTo(HexFormat.of().formatHex(expected));
    }

    private static Socket connect(SocketAddress where) throws IOException {
        Socket socket = new Socket();
        socket.connect(where, 20_000);
        return socket;
    }

    private TcpListener listener() throws IOException {
        return TcpListener.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), LIMITS, received);
    }

    @Test
    void owner_ofARangeWithoutChecksums() throws Exception {
        Path file = Files.writeString(dir.resolve("extent"), "0123456789abcdef");
        try (TcpListener listener = listener()) {
            RegionKey key = listener.register(new ExtentRange(file, 0x1000, 16), ChunkChecksums.NONE).key;
            try (Socket socket = connect(listener.address())) {
                send(
                        socket,
                        "00000021 02 00 0000 0000000000000001 " + key.digits()
                                + " 0000000000001000 0000000000000010 00");
                expect(socket, "00000009 03 00 0000 0000000000000001 00000001 00 00000001");

                send(socket, "00000010 05 00 0000 0000000000000002 00000001 0000000000000004 00000003");
                expect(socket, "00000003 06 00 0000 0000000000000002 343536");

                // Beyond the range, with the status of no access.
                send(socket, "00000010 05 00 0000 0000000000000004 00000001 0000000000000010 00000001");
                expect(socket, "00000000 06 02 0000 0000000000000004");
                // A key for reading does not write.
                send(
                        socket,
                        "00000021 02 00 0000 0000000000000005 " + key.digits()
                                + " 0000000000001000 0000000000000010 01");
                expect(socket, "00000000 03 02 0000 0000000000000005");

                // No answer to a detach; its handle leads nowhere afterwards.
                send(socket, "00000004 04 00 0000 0000000000000000 00000001");
                send(socket, "00000010 05 00 0000 0000000000000006 00000001 0000000000000004 00000003");
                expect(socket, "00000000 06 02 0000 0000000000000006");
            }
        }
    }

    /** Type 7 asks to write blocks, as the first frame only and without a body; anything else loses the connection. */
    @Test
    void owner_ofAWrite() throws Exception {
        Path file = Files.writeString(dir.resolve("extent"), "0123456789abcdef");
        try (TcpListener listener = listener()) {
            RegionKey key = listener.register(new ExtentRange(file, 0x1000, 16), ChunkChecksums.NONE).key;
            try (Socket socket = connect(listener.address())) {
                send(
                        socket,
                        "00000021 02 00 0000 0000000000000001 " + key.digits()
                                + " 0000000000001000 0000000000000010 00");
                expect(socket, "00000009 03 00 0000 0000000000000001 00000001 00 00000001");
                send(socket, "0000000e 07 00 0000 0000000000000003 00000001 0000000000000001 5859");
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
        assertThat(Files.readString(file)).isEqualTo("0123456789abcdef");
    }

    @Test
    void owner_ofARangeWithChecksums() throws Exception {
        Path file = Files.writeString(dir.resolve("extent"), "012345");
        ChunkChecksums checksums = new ChunkChecksums(ChecksumType.CRC32C, 4, bytes("a1a2a3a4 b1b2b3b4"));
        try (TcpListener listener = listener()) {
            RegionKey key = listener.register(new ExtentRange(file, 0, 6), checksums).key;
            try (Socket socket = connect(listener.address())) {
                send(
                        socket,
                        "00000021 02 00 0000 0000000000000001 " + key.digits()
                                + " 0000000000000000 0000000000000006 00");
                expect(socket, "00000009 03 00 0000 0000000000000001 00000001 02 00000004");

                send(socket, "00000010 05 00 0000 0000000000000002 00000001 0000000000000000 00000006");
                expect(socket, "0000000e 06 00 0000 0000000000000002 a1a2a3a4 b1b2b3b4 303132333435");

                // The file was cut: the status says that it is too short.
                Files.writeString(file, "0123");
                send(socket, "00000010 05 00 0000 0000000000000003 00000001 0000000000000004 00000002");
                expect(socket, "00000000 06 01 0000 0000000000000003");

                // A key that leads nowhere.
                send(
                        socket,
                        "00000021 02 00 0000 0000000000000004 00000000000000000000000000000000"
                                + " 0000000000000000 0000000000000006 00");
                expect(socket, "00000000 03 02 0000 0000000000000004");
            }
        }
    }

    @Test
    void owner_ofMessages() throws Exception {
        try (TcpListener listener = listener();
                Socket socket = connect(listener.address())) {
            send(socket, "00000002 01 00 0000 0000000000000000 abcd");
            assertThat(received.next(TIMEOUT_NS)).isEqualTo(ByteBuffer.wrap(bytes("abcd")));
            send(socket, "00000000 01 00 0000 0000000000000000");
            TcpSession session = Objects.requireNonNull(received.nextSession(TIMEOUT_NS));
            session.send(ByteBuffer.wrap(bytes("beef00")));
            expect(socket, "00000003 01 00 0000 0000000000000000 beef00");
        }
    }

    @Test
    void client() throws Exception {
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpLink link = TcpLink.connect(server.getLocalSocketAddress(), LIMITS, TIMEOUT_NS);
                Socket socket = server.accept()) {
            RegionKey key = new RegionKey(0x0123456789abcdefL, 0x1122334455667788L, 0x1000, 9, Access.READ_WRITE);
            Future<TcpExtent> attached = client.submit(() -> link.attach(key, TIMEOUT_NS));
            expect(
                    socket,
                    "00000021 02 00 0000 0000000000000001 0123456789abcdef 1122334455667788"
                            + " 0000000000001000 0000000000000009 01");
            send(socket, "00000009 03 00 0000 0000000000000001 00000007 02 00000200");
            TcpExtent region = attached.get();

            // The checksum of these nine bytes is the check value of CRC-32C.
            ByteBuffer target = ByteBuffer.allocate(9);
            Future<?> read = client.submit(() -> {
                region.read(0, target, TIMEOUT_NS);
                return null;
            });
            expect(socket, "00000010 05 00 0000 0000000000000002 00000007 0000000000000000 00000009");
            send(socket, "0000000d 06 00 0000 0000000000000002 e3069283 313233343536373839");
            read.get();
            assertThat(new String(target.array(), StandardCharsets.US_ASCII)).isEqualTo("123456789");

            link.send(ByteBuffer.wrap(bytes("abcd")), TIMEOUT_NS);
            expect(socket, "00000002 01 00 0000 0000000000000000 abcd");
            send(socket, "00000003 01 00 0000 0000000000000000 beef00");
            assertThat(link.receive(TIMEOUT_NS)).isEqualTo(ByteBuffer.wrap(bytes("beef00")));

            send(socket, "00000019 09 00 0000 0000000000000000 01 0000000000000002 00000000 00000001 0000000000000005");
            // What follows a list of blocks is heard after it.
            send(socket, "00000001 01 00 0000 0000000000000000 01");
            assertThat(link.receive(TIMEOUT_NS)).isEqualTo(ByteBuffer.wrap(bytes("01")));
            assertThat(link.resident().contains(5)).isTrue();

            region.close();
            expect(socket, "00000004 04 00 0000 0000000000000000 00000007");
        } finally {
            client.shutdownNow();
        }
    }

    @Test
    void limits() {
        assertThat(TcpFrame.MAX_READ_BYTES).isEqualTo(1 << 20);
        assertThat(TcpFrame.MAX_REQUEST_BYTES).isEqualTo(16 + 64 * 1024);
    }
}
