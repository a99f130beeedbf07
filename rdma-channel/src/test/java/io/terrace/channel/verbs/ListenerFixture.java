package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.DeviceCounters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A listener on a real device; whatever a test does, nothing of the device is held when it is over: by our own counts, and
 * by the kernel's.
 */
abstract class ListenerFixture {
    /** An emulated guest on a busy machine may stand still for seconds. */
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    Path dir;

    VerbsProvider provider;
    VerbsListener listener;
    InetSocketAddress address;
    private String kernelHeld;

    @BeforeEach
    void listen() throws Exception {
        kernelHeld = VerbsFixture.kernelHeld();
        provider = VerbsFixture.provider(VerbsLimits.DEFAULT);
        address = VerbsFixture.address(provider);
        listener = provider.listen(address);
    }

    @AfterEach
    void close() throws Exception {
        if (listener != null) {
            listener.close();
            provider.close();
            assertThat(provider.watched()).isZero();
            assertThat(Held.of(provider)).isEqualTo(Held.NOTHING);
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                    .untilAsserted(() -> assertThat(VerbsFixture.kernelHeld()).isEqualTo(kernelHeld));
        }
    }

    RegionKey register(String name, int lengthBytes) throws IOException {
        Path file = Files.write(dir.resolve(name), new byte[lengthBytes]);
        return listener.register(new ExtentRange(file, 0, lengthBytes), Access.READ);
    }

    /** Another listener of the same process, one whose clients only attach. */
    VerbsListener serve() throws IOException {
        return provider.serve(new InetSocketAddress(address.getAddress(), address.getPort() + 1_000), () -> {});
    }

    VerbsLink connect() throws IOException {
        return provider.connect(address, PATIENCE_NS);
    }

    void awaitHeld(Held before) {
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                .untilAsserted(() -> assertThat(Held.of(provider)).isEqualTo(before));
    }

    /** What a process holds of its devices at one moment. */
    record Held(long domains, long queuePairs, long registrations, long registeredBytes, long lentBuffers) {
        static final Held NOTHING = new Held(0, 0, 0, 0, 0);

        static Held of(VerbsProvider provider) {
            DeviceCounters deviceCounters = provider.deviceCounters();
            return new Held(
                    deviceCounters.domains.get(),
                    deviceCounters.queuePairs.get(),
                    deviceCounters.registrations.get(),
                    deviceCounters.registeredBytes.get(),
                    deviceCounters.lentBuffers.get());
        }
    }
}
