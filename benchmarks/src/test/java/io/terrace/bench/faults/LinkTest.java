package io.terrace.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LinkTest {
    private static final int LIMIT_MS = 60_000;

    private ServerSocket target;
    private Link link;

    @BeforeEach
    void open() throws IOException {
        target = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        target.setSoTimeout(LIMIT_MS);
        link = new Link(0, target.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        target.close();
    }

    @Test
    void link_open_passesBytesBothWays_andTheEnd() throws IOException {
        try (Socket near = connect();
                Socket far = target.accept()) {
            near.getOutputStream().write(5);
            assertThat(far.getInputStream().read()).isEqualTo(5);
            far.getOutputStream().write(6);
            assertThat(near.getInputStream().read()).isEqualTo(6);
            far.close();
            assertThat(near.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void link_cut_endsItsConnections_andTakesNoMore() throws IOException {
        try (Socket near = connect();
                Socket far = target.accept()) {
            near.getOutputStream().write(5);
            assertThat(far.getInputStream().read()).isEqualTo(5);
            link.set(Link.State.CUT);
            assertThatThrownBy(() -> near.getInputStream().read()).hasMessageContaining("reset");
            assertThat(link.connectionsMet()).isEqualTo(1);
        }
        assertThatThrownBy(() -> {
                    try (Socket refused = connect()) {
                        throw new IOException(refused.getInputStream().read() < 0 ? "Connection reset" : "served");
                    }
                })
                .hasMessageContaining("reset");
        assertThat(link.connectionsMet()).isEqualTo(2);
        link.set(Link.State.OPEN);
        try (Socket near = connect();
                Socket far = target.accept()) {
            near.getOutputStream().write(7);
            assertThat(far.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void link_stalled_passesLaterWhatCameMeanwhile() throws IOException {
        try (Socket near = connect();
                Socket far = target.accept()) {
            link.set(Link.State.STALLED);
            near.getOutputStream().write(new byte[] {1, 2, 3});
            link.set(Link.State.SLOW);
            assertThat(far.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
        }
    }

    @Test
    void link_thatNobodyUses_meetsNoConnection() {
        link.set(Link.State.STALLED);
        assertThat(link.connectionsMet()).isZero();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.port());
        socket.setSoTimeout(LIMIT_MS);
        return socket;
    }
}
