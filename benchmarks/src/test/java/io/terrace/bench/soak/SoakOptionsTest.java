package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.SoakOptions.Provider;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SoakOptionsTest {
    @Test
    void memory_isReadUnverified_byClientsOfTheFile_andByMappings() {
        SoakOptions shm = options(Provider.SHM, true);
        assertThat(shm.readsMemoryUnverified("c1", false)).isTrue();
        assertThat(shm.readsMemoryUnverified("c2", false)).isTrue();
        assertThat(shm.readsMemoryUnverified("check", true))
                .as("the stock client")
                .isFalse();

        SoakOptions tcp = options(Provider.TCP, true);
        assertThat(tcp.readsMemoryUnverified("c1", true)).isTrue();
        assertThat(tcp.readsMemoryUnverified("c1", false)).isFalse();
        assertThat(tcp.readsMemoryUnverified("c2", true)).isFalse();
        assertThat(options(Provider.SHM, false).readsMemoryUnverified("c1", true))
                .isFalse();
    }

    private static SoakOptions options(Provider provider, boolean terrace) {
        return new SoakOptions(Duration.ofMinutes(1), 1, terrace, false, provider, Map.of());
    }
}
