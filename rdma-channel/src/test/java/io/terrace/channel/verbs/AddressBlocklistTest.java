package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

final class AddressBlocklistTest {
    private final AddressBlocklist addresses = new AddressBlocklist();

    private static InetAddress address(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
    }

    private boolean useless(int address, int times, long nowNs) throws UnknownHostException {
        boolean held = false;
        for (int i = 0; i < times; i++) {
            held |= addresses.wasUseless(address(address), nowNs);
        }
        return held;
    }

    @Test
    void address_ofTooManyUselessConnections_isHeldOffForAMinute_andOthersAreNot() throws Exception {
        assertThat(useless(1, AddressBlocklist.TOLERATED, 0)).isFalse();
        assertThat(addresses.isHeldOff(address(1), 0)).isFalse();
        long laterNs = AddressBlocklist.MINUTE_NS - 1;
        assertThat(useless(1, 1, laterNs)).isTrue();
        assertThat(addresses.isHeldOff(address(1), laterNs)).isTrue();
        assertThat(addresses.isHeldOff(address(2), laterNs)).isFalse();
        assertThat(addresses.count(laterNs)).isEqualTo(1);
        // What was under way still ends, and makes it no longer.
        assertThat(useless(1, 1, laterNs + 5)).isFalse();
        assertThat(addresses.isHeldOff(address(1), laterNs + AddressBlocklist.MINUTE_NS - 1))
                .isTrue();
        long overNs = laterNs + AddressBlocklist.MINUTE_NS;
        assertThat(addresses.isHeldOff(address(1), overNs)).isFalse();
        assertThat(addresses.count(overNs)).isZero();
        assertThat(useless(1, AddressBlocklist.TOLERATED, overNs)).isFalse();
        assertThat(useless(1, 1, overNs)).isTrue();
    }

    @Test
    void uselessConnections_nowAndThen_areNobodysFault() throws Exception {
        for (int minute = 0; minute < 10; minute++) {
            assertThat(useless(1, AddressBlocklist.TOLERATED, minute * AddressBlocklist.MINUTE_NS))
                    .isFalse();
        }
    }

    @Test
    void addresses_beyondTheLimit_takeThePlaceOfTheOldest() throws Exception {
        useless(0, AddressBlocklist.TOLERATED + 1, 0);
        useless(1, AddressBlocklist.TOLERATED + 1, 0);
        useless(0, 1, 1);
        for (int number = 2; number <= AddressBlocklist.REMEMBERED; number++) {
            useless(number, 1, 1);
        }
        assertThat(addresses.isHeldOff(address(0), 1)).isTrue();
        assertThat(addresses.isHeldOff(address(1), 1)).isFalse();
    }
}
