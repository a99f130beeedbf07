package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.ProcessSample.Resource;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class GrowthTest {
    private final Growth growth = new Growth();

    @Test
    void resource_thatGrowsAllTheTime_leaks() {
        for (int i = 0; i < 12; i++) {
            growth.add("datanode-1 77", Map.of(Resource.DESCRIPTORS, 100L + 10 * i, Resource.THREADS, 40L));
        }

        assertThat(growth.leaks()).hasSize(1).allMatch(leak -> leak.startsWith("datanode-1 77 descriptors [100, 110"));
    }

    @Test
    void resource_thatGoesUpAndDown_orGrowsALittle_doesNotLeak() {
        for (int i = 0; i < 12; i++) {
            growth.add("c1 5", Map.of(Resource.DESCRIPTORS, i % 3 == 0 ? 100L : 300L, Resource.THREADS, 100L + i));
        }

        assertThat(growth.leaks()).isEmpty();
        assertThat(growth.judged("")).isEqualTo(2);
        assertThat(growth.unjudged()).isEmpty();
    }

    @Test
    void resource_thatLeaksAFewInEachRound_isFoundWithTheLeastSamples() {
        add("datanode-1 7", Resource.THREADS, 89, 100, 104, 108, 112, 116, 120);
        add("datanode-2 7", Resource.DESCRIPTORS, 226, 222, 230, 238, 246, 254, 262);
        // The same beside what comes and goes.
        add("datanode-3 7", Resource.THREADS, 102, 99, 102, 105, 109, 116, 116);
        add("c1 7", Resource.DESCRIPTORS, 212, 221, 236, 244, 253, 266, 224 + 40);

        assertThat(growth.leaks()).hasSize(4);
    }

    @Test
    void resource_ofARealSoak_doesNotLeak() {
        add("datanode-1 1", Resource.THREADS, 102, 99, 98, 97, 97, 100, 96);
        add("c2 1", Resource.DESCRIPTORS, 212, 221, 228, 229, 230, 235, 185);
        add("c2 1", Resource.MAPPINGS, 272, 285, 288, 301, 301, 300, 266);
        add("namenode-1 1", Resource.THREADS, 98, 101, 90, 101, 90, 101, 101);
        add("datanode-1 1", Resource.LINKS, 4, 2, 2, 6, 9, 9, 2);

        assertThat(growth.leaks()).isEmpty();
    }

    @Test
    void resource_thatGrowsOnce_orFillsUp_doesNotLeak() {
        add("c1 1", Resource.THREADS, 30, 40, 41, 40, 60, 61, 60);
        add("c2 1", Resource.DESCRIPTORS, 100, 150, 190, 215, 230, 232, 233);
        add("c3 1", Resource.HEAP, 90L << 20, 100L << 20, 104L << 20, 108L << 20, 111L << 20, 114L << 20, 118L << 20);

        assertThat(growth.leaks()).isEmpty();
    }

    @Test
    void judged_countsSeriesOfTheseProcesses() {
        add("datanode-1 1", Resource.THREADS, 1, 1, 1, 1, 1, 1, 1);
        add("datanode-2 1", Resource.THREADS, 1, 1, 1, 1, 1, 1);
        add("namenode 1", Resource.THREADS, 1, 1, 1, 1, 1, 1, 1);

        assertThat(growth.judged("datanode")).isEqualTo(1);
        assertThat(growth.judged("c")).isZero();
        assertThat(growth.judged("")).isEqualTo(2);
    }

    private void add(String process, Resource resource, long... samples) {
        for (long sample : samples) {
            growth.add(process, Map.of(resource, sample));
        }
    }

    @Test
    void process_thatIsStartedAgain_beginsAnew() {
        for (int i = 0; i < 12; i++) {
            growth.add("c1 " + i / 6, Map.of(Resource.DESCRIPTORS, 100L + 50 * i));
        }

        assertThat(growth.leaks()).isEmpty();
        assertThat(growth.judged("")).isZero();
        assertThat(growth.unjudged()).containsExactly(Map.entry("c1", 6));
    }

    @Test
    void memoryThatFills_isNoLeak_butFilesThatAreKeptOpenAre() {
        long capacity = 48L << 20;
        for (int i = 0; i < 12; i++) {
            long copies = Math.min(capacity, (long) i << 22);
            long slots = 4L << 20;
            growth.add("d1 1", Map.of(Resource.TMPFS, ProcessSample.unexplained(slots + copies, copies, capacity)));
            long open = (long) i << 21;
            growth.add(
                    "d2 2", Map.of(Resource.TMPFS, ProcessSample.unexplained(slots + copies + open, copies, capacity)));
            long forgotten = (long) i << 23;
            growth.add(
                    "d3 3", Map.of(Resource.TMPFS, ProcessSample.unexplained(slots + forgotten, forgotten, capacity)));
        }

        assertThat(growth.leaks()).hasSize(2);
        assertThat(growth.leaks().get(0)).startsWith("d2 2 tmpfs");
        assertThat(growth.leaks().get(1)).startsWith("d3 3 tmpfs");
    }

    @Test
    void heap_ofTheSerialCollector_isTheSumOfItsGenerations() throws IOException {
        String info =
                """
                77:
                 def new generation   total 9792K, used 4128K [0x00000000ff600000, 0x0000000100000000)
                  eden space 8704K,  40% used [0x00000000ff600000, 0x00000000ffe80000)
                 tenured generation   total 21888K, used 13K [0x00000000fe000000, 0x00000000ff560000)
                 Metaspace       used 3456K, committed 3648K, reserved 1114112K
                """;

        assertThat(ProcessSample.heapBytes(info)).isEqualTo((4128L + 13) << 10);
    }
}
