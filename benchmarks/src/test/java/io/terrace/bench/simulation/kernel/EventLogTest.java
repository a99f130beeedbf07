package io.terrace.bench.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.datanode.extent.RetireCause;
import org.junit.jupiter.api.Test;

final class EventLogTest {

    private static long checksum(Object... arguments) {
        EventLog log = new EventLog(false);
        log.step(10, "retire");
        log.say(10, "dn0", "retires %s_%d: %s", arguments);
        return log.checksum();
    }

    @Test
    void checksum_tellsApartWhatIsSaidOfTheSameEvents() {
        long checksum = checksum("blk", 7L, RetireCause.ORDERED);

        assertThat(checksum("blk", 7L, RetireCause.ORDERED)).isEqualTo(checksum);
        assertThat(checksum("blk", 8L, RetireCause.ORDERED)).isNotEqualTo(checksum);
        assertThat(checksum("blk", 7L, RetireCause.CHANGED)).isNotEqualTo(checksum);
        assertThat(checksum("block", 7L, RetireCause.ORDERED)).isNotEqualTo(checksum);
    }

    @Test
    void checksum_isTheSameInEveryProcess() {
        // Taken from another process, where an enum, say, had another identity.
        assertThat(checksum("blk", 7L, RetireCause.ORDERED)).isEqualTo(-829299010195804014L);
    }
}
