package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.TokenBucket.Accrual;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

    private static final long SECOND_NS = 1_000_000_000;

    private long nowNs = 5 * SECOND_NS;
    private long sleptNs;

    private static TokenBucket capped(long perSecond) {
        return new TokenBucket(perSecond, perSecond, Accrual.CAPPED, TimeUnit.MILLISECONDS, 0);
    }

    private static TokenBucket wholeSilence(long perSecond) {
        return new TokenBucket(perSecond, perSecond, Accrual.WHOLE_SILENCE, TimeUnit.MILLISECONDS, 0);
    }

    private TokenBucket sleeping(long perSecond) {
        return new TokenBucket(perSecond, () -> nowNs, ns -> {
            sleptNs += ns;
            nowNs += ns;
        });
    }

    @Test
    void charge_moreThanTheBurst_isLentAndPaidBack() {
        TokenBucket bucket = capped(1000);
        assertThat(bucket.isOpen(0)).isTrue();
        bucket.charge(0, 3000);
        assertThat(bucket.available(0)).isZero();
        assertThat(bucket.isOpen(1999)).isFalse();
        assertThat(bucket.isOpen(2001)).isTrue();
    }

    @Test
    void take_moreThanThereIs_givesWhatThereIsAndNoDebt() {
        TokenBucket bucket = capped(1000);
        assertThat(bucket.take(0, 1500)).isEqualTo(1000);
        assertThat(bucket.take(0, 1)).isZero();
        assertThat(bucket.take(1, 5)).isEqualTo(1);
        assertThat(bucket.take(1001, 400)).isEqualTo(400);
        assertThat(bucket.available(1001)).isEqualTo(600);
    }

    @Test
    void take_inDebt_givesNothing() {
        TokenBucket bucket = wholeSilence(1000);
        bucket.charge(0, 3000);
        assertThat(bucket.take(1999, 1)).isZero();
        assertThat(bucket.take(2001, 5)).isEqualTo(1);
    }

    @Test
    void capped_afterASilence_hasTheBurst() {
        TokenBucket bucket = capped(1000);
        bucket.charge(0, 1000);
        assertThat(bucket.isFull(999)).isFalse();
        assertThat(bucket.available(100_000)).isEqualTo(1000);
        assertThat(bucket.isFull(100_000)).isTrue();
    }

    @Test
    void wholeSilence_afterASilence_hasAllOfItAndTheBurst() {
        TokenBucket bucket = wholeSilence(1000);
        assertThat(bucket.available(5_000)).isEqualTo(6_000);
        assertThat(bucket.available(5_001))
                .as("what was not used is kept up to the burst")
                .isEqualTo(1_001);
    }

    @Test
    void wholeSilence_ofMoreThanAnHour_countsAsAnHour() {
        TokenBucket bucket = wholeSilence(1000);
        bucket.charge(0, 1000);
        assertThat(bucket.available(TimeUnit.DAYS.toMillis(1))).isEqualTo(3_600_000);
    }

    @Test
    void time_cutIntoManySteps_givesNoMore() {
        TokenBucket bucket = wholeSilence(1000);
        long taken = 0;
        for (int ms = 0; ms <= 2_000; ms++) {
            taken += bucket.take(ms, Long.MAX_VALUE);
        }
        assertThat(taken).isEqualTo(3_000);
    }

    @Test
    void time_thatStepsBack_isNoTime() {
        TokenBucket bucket = new TokenBucket(1000, 1000, Accrual.CAPPED, TimeUnit.MILLISECONDS, 5000);
        bucket.charge(5000, 1000);
        assertThat(bucket.available(1000)).isZero();
        assertThat(bucket.available(5500)).isEqualTo(500);
    }

    @Test
    void availableAt_aLaterTime_countsItAndTakesNoTime() {
        TokenBucket bucket = new TokenBucket(10, 10, Accrual.CAPPED, TimeUnit.MILLISECONDS, 0);
        bucket.charge(0, 20);
        assertThat(bucket.availableAt(1_500)).isEqualTo(5);
        assertThat(bucket.availableAt(9_000)).isEqualTo(10);
        assertThat(bucket.isOpen(1_000)).isFalse();
        assertThat(bucket.available(1_500)).isEqualTo(5);
    }

    @Test
    void clockInNanoseconds_givesAsMuchASecond() {
        TokenBucket bucket = new TokenBucket(1000, 2000, Accrual.CAPPED, TimeUnit.NANOSECONDS, Long.MAX_VALUE);
        assertThat(bucket.take(Long.MAX_VALUE, 5000)).isEqualTo(2000);
        assertThat(bucket.take(Long.MAX_VALUE + SECOND_NS / 2, 5000))
                .as("the clock wrapped")
                .isEqualTo(500);
    }

    @Test
    void zeroRate_isNoLimit() {
        TokenBucket bucket = capped(0);
        bucket.charge(0, Long.MAX_VALUE);
        assertThat(bucket.isOpen(0)).isTrue();
        assertThat(bucket.isFull(0)).isTrue();
        assertThat(bucket.take(0, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void negativeRate_isRefused() {
        assertThatThrownBy(() -> capped(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takeAndSleep_waitsForAllThatItTook() {
        TokenBucket bucket = sleeping(1000);
        bucket.takeAndSleep(500);
        assertThat(sleptNs).isEqualTo(SECOND_NS / 2);
    }

    @Test
    void takeAndSleep_afterASilence_hasAQuarterOfASecondForNothing() {
        TokenBucket bucket = sleeping(1000);
        nowNs += 100 * SECOND_NS;
        bucket.takeAndSleep(250);
        assertThat(sleptNs).isZero();
        bucket.takeAndSleep(250);
        assertThat(sleptNs).isEqualTo(SECOND_NS / 4);
    }

    @Test
    void takeAndSleep_atAnotherRate_waitsAsLongForWhatWasTakenBefore() {
        TokenBucket bucket = new TokenBucket(1000, () -> nowNs, ns -> sleptNs = ns);
        bucket.takeAndSleep(1000);
        bucket.rate(100);
        bucket.takeAndSleep(100);
        assertThat(sleptNs).isEqualTo(2 * SECOND_NS);
        bucket.rate(0);
        sleptNs = 0;
        bucket.takeAndSleep(Long.MAX_VALUE);
        assertThat(sleptNs).isZero();
    }

    @Test
    void takeAndSleep_withoutAClock_isRefused() {
        assertThatThrownBy(() -> capped(1).takeAndSleep(1)).isInstanceOf(IllegalStateException.class);
    }
}
