package io.terrace.channel.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whose on-demand paging is relied on. */
final class DeviceFactsTest {
    private static final int ANY_VENDOR = 0x2c9;
    private static final int READ_AND_WRITE = 12;

    @Test
    void paging_isWhatTheDeviceOffers() {
        assertThat(new DeviceFacts(ANY_VENDOR, 1, READ_AND_WRITE).paging()).isEqualTo(READ_AND_WRITE);
    }

    @Test
    void paging_thatIsNotOffered_isNone() {
        assertThat(new DeviceFacts(ANY_VENDOR, 0, READ_AND_WRITE).paging()).isEqualTo(DeviceFacts.NO_PAGING);
        assertThat(new DeviceFacts(ANY_VENDOR, 2, READ_AND_WRITE).paging()).isEqualTo(DeviceFacts.NO_PAGING);
    }

    @Test
    void paging_ofSoftRoce_isNone_whateverItOffers() {
        assertThat(new DeviceFacts(DeviceFacts.SOFT_ROCE, 1, READ_AND_WRITE).paging())
                .isEqualTo(DeviceFacts.NO_PAGING);
    }
}
