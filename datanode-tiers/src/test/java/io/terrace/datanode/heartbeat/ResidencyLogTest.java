package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.heartbeat.ResidencyLog.Entry;
import io.terrace.datanode.heartbeat.ResidencyLog.Page;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResidencyLogTest {

    private static final int MOST = 2;
    private static final int PAGE = 3;

    private final ResidencyLog log = new ResidencyLog(MOST);

    private static Entry entry(int block, boolean resident) {
        return new Entry(new BlockVersion(new BlockKey("pool", block, 1), 10), resident, false);
    }

    private static List<Entry> copies(int count) {
        return IntStream.range(0, count).mapToObj(i -> entry(i, true)).toList();
    }

    @Test
    void report_longerThanTheLimitOfChanges_endsWhileCopiesComeAndGo() {
        Page first = log.begin(copies(8), PAGE);
        assertThat(first.full()).isTrue();
        log.add(entry(1, false));
        assertThat(log.isFullWanted()).isFalse();
        log.add(entry(7, false));
        assertThat(log.next(PAGE).entries()).hasSize(PAGE);
        assertThat(log.next(PAGE).entries()).containsExactly(entry(6, true), entry(1, false), entry(7, false));
        assertThat(log.hasUnsent()).isFalse();
    }

    @Test
    void changes_beyondTheLimit_becomeAReport() {
        log.begin(List.of(), PAGE);
        for (int i = 0; i < MOST; i++) {
            log.add(entry(i, true));
        }
        assertThat(log.isFullWanted()).isFalse();
        log.add(entry(MOST, true));
        assertThat(log.isFullWanted()).isTrue();
    }
}
