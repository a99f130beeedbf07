package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

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
        assertThat(model.awaits(2_000, 10)).isFalse();
        assertThat(model.awaits(2_000, 11)).isFalse();
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
        assertThat(model.estimate("/a")).isNull();
        assertThat(model.estimate("/b")).isNotNull();
        for (long object = 30; object < 40; object++) {
            model.written(0, object, 10, "/c");
        }
        assertThat(model.awaits(0, 34)).isTrue();
        assertThat(model.awaits(0, 35)).isFalse();
    }

    @Test
    void written_toldAgainAfterTheRead_isNotAwaitedAgain() {
        FirstReadModel patient = new FirstReadModel(60_000, 2, 5);
        patient.written(0, 1, 10, DIR);
        patient.read(100, 1);
        patient.written(200, 1, 10, DIR);
        assertThat(patient.awaits(200, 1)).isFalse();
        patient.written(FirstReadModel.SAME_WRITE_MS, 1, 10, DIR);
        assertThat(patient.awaits(FirstReadModel.SAME_WRITE_MS, 1))
                .as("another write")
                .isTrue();
    }

    @Test
    void worth_isReadsByTimeAndBytesThatWaited() {
        assertThat(model.worth(0, DIR)).isZero();
        model.written(0, 1, 10, DIR);
        assertThat(model.worth(400, DIR)).as("no read yet").isZero();
        model.read(400, 1);
        assertThat(model.worth(400, DIR)).isEqualTo(1 / 4_000.0);
        assertThat(model.worth(900, DIR)).as("nothing waits").isEqualTo(1 / 4_000.0);
    }

    @Test
    void worth_ofWhatStillWaits_falls() {
        model.written(0, 1, 10, DIR);
        model.read(400, 1);
        model.written(400, 2, 10, DIR);
        assertThat(model.worth(800, DIR)).isEqualTo(1 / 8_000.0);
        model.expire(5_000);
        assertThat(model.worth(5_000, DIR)).isCloseTo(0.97 / (0.97 * 4_000 + 46_000), offset(1e-12));
    }

    @Test
    void worth_ofAGroupThatWasForgottenWhileItWaited_isThatOfTheNewOne() {
        model.written(0, 1, 1_000, DIR);
        model.written(0, 2, 10, "/a");
        model.written(0, 3, 10, "/b");
        model.written(0, 4, 10, DIR);
        model.read(500, 1);
        model.read(500, 4);
        assertThat(model.worth(500, DIR)).isEqualTo(1 / 5_000.0);
    }

    @Test
    void written_clockGoesBack_awaitsStill() {
        model.written(5_000, 1, 10, DIR);
        assertThat(model.awaits(1_000, 1)).isTrue();
        assertThat(model.read(1_000, 1)).isTrue();
    }
}
