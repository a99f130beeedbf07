package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstReadModelTest {

    private static final String DIR = "/logs/#";

    private final FirstReadModel model = new FirstReadModel(1_000, 2, 5);

    private void readInTime(long from, int objects, String group) {
        for (long object = from; object < from + objects; object++) {
            model.written(0, object, 10, group);
            model.read(999, object);
        }
    }

    @Test
    void expects_nothingKnown_no() {
        model.written(0, 1, 10, DIR);
        assertThat(model.expects(DIR, 10)).isFalse();
        assertThat(model.expects("/other", 10)).isFalse();
    }

    @Test
    void expects_fiveOfFiveRead_yes() {
        readInTime(1, 3, DIR);
        assertThat(model.expects(DIR, 10)).isFalse();
        readInTime(4, 2, DIR);
        assertThat(model.expects(DIR, 10)).isTrue();
        assertThat(model.expects(DIR, 1_000)).as("much larger than all before").isFalse();
        assertThat(model.estimate(DIR))
                .satisfies(estimate -> assertThat(estimate.readShare()).isEqualTo(1));
    }

    @Test
    void read_tooLate_countsAsNotRead() {
        readInTime(1, 5, DIR);
        for (long object = 10; object < 12; object++) {
            model.written(1_000, object, 10, DIR);
        }
        assertThat(model.read(2_000, 10)).isFalse();
        assertThat(model.awaited()).isZero();
        assertThat(model.expects(DIR, 10)).isFalse();
    }

    @Test
    void read_again_countsOnce() {
        model.written(0, 1, 10, DIR);
        assertThat(model.read(1, 1)).isTrue();
        assertThat(model.read(2, 1)).isFalse();
        assertThat(model.estimate(DIR))
                .satisfies(known -> assertThat(known.outcomes()).isEqualTo(1));
    }

    @Test
    void expects_learnsAnew_whereReadersHaveGone() {
        readInTime(1, 50, DIR);
        for (long object = 100; object < 112; object++) {
            model.written(2_000 * object, object, 10, DIR);
            model.expire(2_000 * object + 1_000);
        }
        assertThat(model.expects(DIR, 10)).isFalse();
        readInTime(200, 80, DIR);
        assertThat(model.expects(DIR, 10)).isTrue();
    }

    @Test
    void written_moreThanBounds_isForgotten() {
        readInTime(1, 5, "/a");
        readInTime(11, 5, "/b");
        readInTime(21, 5, "/c");
        assertThat(model.groups()).isEqualTo(2);
        assertThat(model.expects("/a", 10)).isFalse();
        for (long object = 30; object < 40; object++) {
            model.written(0, object, 10, "/c");
        }
        assertThat(model.awaited()).isEqualTo(5);
    }

    @Test
    void written_clockGoesBack_awaitsStill() {
        model.written(5_000, 1, 10, DIR);
        assertThat(model.awaits(1_000, 1)).isTrue();
        assertThat(model.read(1_000, 1)).isTrue();
    }
}
