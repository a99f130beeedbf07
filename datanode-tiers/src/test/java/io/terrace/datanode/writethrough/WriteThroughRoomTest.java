package io.terrace.datanode.writethrough;

import static io.terrace.datanode.writethrough.WriteThroughFixture.BLOCK;
import static io.terrace.datanode.writethrough.WriteThroughFixture.CAPACITY;
import static io.terrace.datanode.writethrough.WriteThroughFixture.KEY;
import static io.terrace.datanode.writethrough.WriteThroughFixture.PIECE;
import static io.terrace.datanode.writethrough.WriteThroughFixture.POOL;
import static io.terrace.datanode.writethrough.WriteThroughFixture.random;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which copies are begun, and go on, by the room that there is for them. */
@Timeout(60)
class WriteThroughRoomTest {
    @TempDir
    Path scratch;

    private WriteThroughFixture through;

    @BeforeEach
    void start() throws IOException {
        through = new WriteThroughFixture(scratch);
    }

    @AfterEach
    void stop() throws IOException {
        through.close();
    }

    @Test
    void begin_inATierWithoutRoomForABlock_isRefusedAndEvictsNothing() throws IOException {
        assertThat(through.tier.space().reserve(POOL, CAPACITY - BLOCK + 1)).isTrue();
        assertThat(through.copies.begin(POOL, KEY, BLOCK, true)).isNull();
        through.tier.space().release(CAPACITY - BLOCK + 1);
        through.assertNothingLeft(Metric.MEMORY_THROUGH_NO_ROOM);
    }

    @Test
    void write_asRoomEnds_dropsTheCopyAndFreesWhatItHad() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1 << 20), PIECE);
            assertThat(through.tier.space().reserve(POOL, CAPACITY - (1 << 20))).isTrue();
            through.write(copy, 1 << 20, random(PIECE), PIECE);
            assertThat(through.tier.usage().usedBytes()).isEqualTo(CAPACITY - (1 << 20));
            through.tier.space().release(CAPACITY - (1 << 20));
            through.write(copy, (1 << 20) + PIECE, random(PIECE), PIECE);
            through.finish(copy, (1 << 20) + 2 * PIECE);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_NO_ROOM);
    }

    @Test
    void write_ofASmallBlock_takesNoMoreThanTheBlockMayGet() throws IOException {
        try (WriteThroughCopy copy = requireNonNull(through.copies.begin(POOL, KEY, 1000, true))) {
            through.write(copy, 0, random(400), PIECE);
            assertThat(through.tier.usage().usedBytes()).isEqualTo(1000);
            through.write(copy, 400, random(700), PIECE);
            assertThat(through.tier.usage().usedBytes()).isEqualTo(1100);
        }
        assertThat(through.tier.usage().usedBytes()).isZero();
    }

    @Test
    void write_beyondTheBound_dropsOneCopyAndTheOtherGoesOn() throws IOException {
        byte[] bytes = random(BLOCK);
        try (WriteThroughCopy first = through.begin();
                WriteThroughCopy second = through.begin()) {
            through.write(first, 0, Arrays.copyOf(bytes, 2 << 20), PIECE);
            through.write(second, 0, bytes, PIECE);
            assertThat(through.metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES))
                    .isEqualTo(2 << 20);
            through.write(first, 2 << 20, Arrays.copyOfRange(bytes, 2 << 20, BLOCK), PIECE);
            through.finish(first, BLOCK);
            assertThat(through.live()).isEqualTo(bytes);
        }
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_BUSY)).isEqualTo(1);
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isEqualTo(1);
        through.assertNoDrafts();
    }

    @Test
    void begin_whereItIsOffOrDoesNotFit_isRefused() throws IOException {
        assertThat(through.copies.begin(POOL, KEY, BLOCK, false)).isNull();
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_STORAGE)).isEqualTo(1);
        try (WriteThroughCopies none = through.copies(0)) {
            assertThat(none.begin(POOL, KEY, BLOCK, true)).isNull();
        }
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_OFF)).isEqualTo(1);
        through.tier.serve(POOL, false, System.nanoTime());
        assertThat(through.copies.begin(POOL, KEY, BLOCK, true)).isNull();
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_OFF)).isEqualTo(2);
    }
}
