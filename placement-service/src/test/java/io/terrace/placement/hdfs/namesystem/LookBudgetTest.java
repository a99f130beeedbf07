package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.state.NamespaceView.Asker;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LookBudgetTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NS = 2_000_000;

    private long nowNs = 1;
    private final LookBudget budget = new LookBudget(() -> nowNs);
    private final Map<Asker, Long> heldNs = new EnumMap<>(Asker.class);

    /** They look four times a second, if they may. */
    private void tenMinutes(Asker... askers) {
        for (int turn = 0; turn < 4 * 600; turn++) {
            for (Asker asker : askers) {
                if (budget.isOpen(asker)) {
                    budget.held(asker, LOOK_NS);
                    heldNs.merge(asker, LOOK_NS, Long::sum);
                }
            }
            nowNs += SECOND / 4;
        }
    }

    @Test
    void reviewsAlone_holdTheLockForLessThanAThousandthOfTheTime_andForWhatWasSavedUp() {
        tenMinutes(Asker.REVIEWS);
        assertThat(heldNs.get(Asker.REVIEWS)).isBetween(565 * SECOND / 1000, 590 * SECOND / 1000);
    }

    @Test
    void reportsAndReviews_togetherHoldItForLessThanAThousandth_andReviewsForATenthOfThat() {
        tenMinutes(Asker.REPORTS, Asker.REVIEWS);
        assertThat(heldNs.get(Asker.REPORTS)).isBetween(605 * SECOND / 1000, 690 * SECOND / 1000);
        assertThat(heldNs.get(Asker.REVIEWS)).isBetween(72 * SECOND / 1000, 92 * SECOND / 1000);
    }

    @ParameterizedTest
    @EnumSource(names = {"ORDERS", "OTHERS"})
    void ordersAndOperators_doNotWait_andTheOthersDo(Asker asker) {
        tenMinutes(asker);
        assertThat(heldNs.get(asker)).isEqualTo(2_400 * LOOK_NS);
        for (Asker waits : EnumSet.complementOf(EnumSet.of(Asker.ORDERS, Asker.OTHERS))) {
            assertThat(budget.isOpen(waits)).as("a twentieth is its own").isTrue();
            usesItsOwn(waits);
            assertThat(budget.isOpen(waits)).isFalse();
        }
    }

    /** As long as others, until nothing is left that is its own. */
    private void usesItsOwn(Asker asker) {
        for (int look = 0; look < 4; look++) {
            budget.held(asker, LOOK_NS);
        }
    }

    @Test
    void pauseOfTheJvmWhileTheLockIsHeld_stopsNobodyForLong() {
        budget.held(Asker.ORDERS, 30 * SECOND);
        budget.held(Asker.REPORTS, 30 * SECOND);
        budget.held(Asker.REVIEWS, 30 * SECOND);
        usesItsOwn(Asker.REPORTS);
        usesItsOwn(Asker.REVIEWS);
        assertThat(budget.isOpen(Asker.REPORTS)).isFalse();
        assertThat(budget.isOpen(Asker.REVIEWS)).isFalse();
        nowNs += 11 * SECOND;
        assertThat(budget.isOpen(Asker.REPORTS)).isTrue();
        assertThat(budget.isOpen(Asker.REVIEWS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REVIEWS", "SATISFY", "VOLUMES", "OFFERS"})
    void pauseWithinAKindsOwnPart_doesNotStopTheKindForMinutes(Asker asker) {
        tenMinutes(Asker.ORDERS);
        for (int look = 0; look < 20; look++) {
            budget.held(asker, 20_000);
        }
        budget.held(asker, 30 * SECOND);
        nowNs += 10 * SECOND;
        budget.held(Asker.ORDERS, SECOND);
        assertThat(budget.isOpen(asker)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REVIEWS", "SATISFY", "VOLUMES", "OFFERS"})
    void pauseInAKindsFirstHold_doesNotStopTheKind(Asker asker) {
        tenMinutes(Asker.ORDERS);
        budget.held(asker, 30 * SECOND);
        assertThat(budget.isOpen(asker)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REVIEWS", "SATISFY", "VOLUMES", "OFFERS"})
    void severalPausesInARow_doNotStopTheKind(Asker asker) {
        tenMinutes(Asker.ORDERS);
        for (int look = 0; look < 40; look++) {
            budget.held(asker, 20_000);
        }
        for (int pause = 0; pause < 3; pause++) {
            budget.held(asker, 30 * SECOND);
        }
        assertThat(budget.isOpen(asker)).isTrue();
    }

    @Test
    void holdsThatStayLonger_areLearnt_andKeepToTheKindsPart() {
        tenMinutes(Asker.ORDERS);
        for (int look = 0; look < 40; look++) {
            budget.held(Asker.VOLUMES, 20_000);
        }
        tenMinutes(Asker.ORDERS, Asker.VOLUMES);
        assertThat(heldNs.get(Asker.VOLUMES)).isBetween(30 * SECOND / 1000, 80 * SECOND / 1000);
    }

    @Test
    void longHold_isPaidBackBeforeTheNextReview_andReportsGoFirst() {
        budget.held(Asker.REVIEWS, TimeUnit.MILLISECONDS.toNanos(97));
        usesItsOwn(Asker.REVIEWS);
        assertThat(budget.isOpen(Asker.REVIEWS)).isFalse();
        assertThat(budget.isOpen(Asker.REPORTS)).isTrue();
        nowNs += 5 * SECOND;
        assertThat(budget.isOpen(Asker.REVIEWS)).isFalse();
        nowNs += 5 * SECOND;
        assertThat(budget.isOpen(Asker.REVIEWS)).isTrue();
    }

    @Test
    void severalKindsOfReviews_whoeverAsksFirst_eachHasATwentieth() {
        tenMinutes(Asker.ORDERS, Asker.REVIEWS, Asker.SATISFY, Asker.VOLUMES, Asker.OFFERS);
        for (Asker asker : new Asker[] {Asker.REVIEWS, Asker.SATISFY, Asker.VOLUMES, Asker.OFFERS}) {
            assertThat(heldNs.get(asker)).isBetween(30 * SECOND / 1000, 70 * SECOND / 1000);
        }
    }

    @Test
    void offers_waitWhileLessThanHalfIsLeft_andTheOthersDoNot() {
        budget.held(Asker.OFFERS, TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(budget.isOpen(Asker.OFFERS)).as("a twentieth is its own").isTrue();
        usesItsOwn(Asker.OFFERS);
        assertThat(budget.isOpen(Asker.OFFERS)).isFalse();
        assertThat(budget.isOpen(Asker.VOLUMES)).isTrue();
        budget.held(Asker.VOLUMES, TimeUnit.MILLISECONDS.toNanos(39));
        assertThat(budget.isOpen(Asker.VOLUMES)).isTrue();
        nowNs += 70 * SECOND;
        assertThat(budget.isOpen(Asker.OFFERS)).isTrue();
    }
}
