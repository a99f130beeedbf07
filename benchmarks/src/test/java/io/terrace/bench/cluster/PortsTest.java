package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void choose_forSeveralDataNodes_drawsDifferentPortsBelowTheEphemeralRange() throws IOException {
        List<Integer> all = flat(Ports.choose(8, new SplittableRandom(7)));

        assertThat(all).hasSize(3 + 8 * 3).doesNotHaveDuplicates().allMatch(port -> port >= 20_000 && port < 32_000);
    }

    @Test
    void choose_whenFirstDrawIsTaken_drawsAnother() throws IOException {
        // The same seed draws the same ports first.
        int first = Ports.choose(1, new SplittableRandom(11)).namenodeRpc();
        try (ServerSocket taken = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertThat(flat(Ports.choose(1, new SplittableRandom(11)))).doesNotContain(taken.getLocalPort());
        }
    }

    private static List<Integer> flat(Ports ports) {
        List<Integer> all = new ArrayList<>(List.of(ports.namenodeRpc(), ports.namenodeHttp(), ports.placementRpc()));
        ports.datanodes().forEach(own -> all.addAll(List.of(own.transfer(), own.http(), own.ipc())));
        return all;
    }
}
