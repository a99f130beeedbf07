package io.terrace.channel.verbs;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real device for tests, with an address on its network; tests are skipped, with the reason, where there is none.
 * {@code bin/terrace test verbs} brings one up.
 */
final class VerbsFixture {
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(20_000);

    private VerbsFixture() {}

    /** Whether there is one; for classes whose set-up cannot be given up half-way. */
    static boolean hasDevice() throws IOException {
        try {
            VerbsProvider.open(VerbsLimits.DEFAULT, VerbsOptions.DEFAULT).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What the kernel says that all processes hold of the devices; empty without the tool of iproute2. */
    static String kernelHeld() {
        try {
            Process shown = new ProcessBuilder("rdma", "resource", "show")
                    .redirectErrorStream(true)
                    .start();
            // A process keeps its context of a device until it ends.
            return new String(shown.getInputStream().readAllBytes(), StandardCharsets.UTF_8).replaceAll("ctx \\d+", "");
        } catch (IOException e) {
            return "";
        }
    }

    static VerbsProvider provider(VerbsLimits limits) {
        try {
            return VerbsProvider.open(limits, VerbsOptions.DEFAULT);
        } catch (IOException e) {
            return abort("no RDMA verbs here: " + e.getMessage());
        }
    }

    /** An address of the device that nobody listens on. */
    static InetSocketAddress address(VerbsProvider provider) throws IOException {
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress host : Collections.list(network.getInetAddresses())) {
                if (host instanceof Inet4Address && !host.isLoopbackAddress()) {
                    InetSocketAddress address = new InetSocketAddress(host, NEXT_PORT.getAndIncrement());
                    try (VerbsListener probe = provider.listen(address)) {
                        return new InetSocketAddress(host, NEXT_PORT.getAndIncrement());
                    } catch (IOException e) {
                        // Not an address of an RDMA device; the next one may be.
                        continue;
                    }
                }
            }
        }
        return abort("no address of an RDMA device here");
    }
}
