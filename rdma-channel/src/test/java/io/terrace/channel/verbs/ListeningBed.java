package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A listener on a real device; whatever a test does, nothing of the device is held when it is over. */
abstract class ListeningBed {
    static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path dir;

    VerbsProvider provider;
    VerbsListener listener;
    InetSocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        provider = VerbsBed.provider(VerbsLimits.DEFAULT);
        address = VerbsBed.address(provider);
        listener = provider.listen(address);
    }

    @AfterEach
    void close() throws Exception {
        if (listener != null) {
            listener.close();
            provider.close();
            assertThat(provider.watched()).isZero();
            Counts counts = provider.counts();
            assertThat(counts.queuePairs).hasValue(0);
            assertThat(counts.registrations).hasValue(0);
            assertThat(counts.registeredBytes).hasValue(0);
            assertThat(counts.lentBuffers).hasValue(0);
        }
    }
}
