package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The text that names a registered range in a grant to a client on another host. */
final class RegionKeyGoldenTest {
    @Test
    void digits() {
        RegionKey key = new RegionKey(0x0123456789abcdefL, -2, 4096, 8192, Access.READ);
        assertThat(key.digits()).isEqualTo("0123456789abcdeffffffffffffffffe");
        assertThat(RegionKey.of("0123456789abcdeffffffffffffffffe", 4096, 8192, Access.READ))
                .isEqualTo(key);
    }
}
