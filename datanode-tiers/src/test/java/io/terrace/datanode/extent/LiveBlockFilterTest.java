package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter never misses a live block, and tells most others apart. */
final class LiveBlockFilterTest {
    private static final long FIRST_ID = 1_073_741_825L;

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 20_000, 32_768})
    void mayContain_findsAllThatAreThere_andFewOthers(int extents) {
        LiveBlockFilter filter = new LiveBlockFilter(extents);
        LongStream.range(FIRST_ID, FIRST_ID + extents).forEach(filter::add);
        assertThat(LongStream.range(FIRST_ID, FIRST_ID + extents)).allMatch(filter::mayContain);
        long wrong = LongStream.range(FIRST_ID + extents, FIRST_ID + extents + 10_000)
                .filter(filter::mayContain)
                .count();
        assertThat(wrong).isLessThan(1_500);

        LongStream.range(FIRST_ID, FIRST_ID + extents).forEach(filter::remove);
        assertThat(LongStream.range(FIRST_ID, FIRST_ID + extents)).noneMatch(filter::mayContain);
    }
}
