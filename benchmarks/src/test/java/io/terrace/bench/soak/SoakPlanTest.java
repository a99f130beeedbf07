package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.SoakPlan.Injection;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SoakPlanTest {
    @Test
    void plan_ofASeed_isAlwaysTheSame() {
        SoakPlan one = new SoakPlan(7, 3, 2, false);
        SoakPlan other = new SoakPlan(7, 3, 2, false);

        for (int i = 0; i < 1_000; i++) {
            assertThat(one.next()).isEqualTo(other.next());
        }
        assertThat(new SoakPlan(8, 3, 2, false).next()).isNotEqualTo(new SoakPlan(7, 3, 2, false).next());
    }

    @Test
    void plan_drawsEveryFault_andSparesTheSurvivors() {
        Set<SoakFault> drawn = EnumSet.noneOf(SoakFault.class);
        for (long seed = 1; seed <= 20; seed++) {
            SoakPlan plan = new SoakPlan(seed, 3, 2, false);
            for (int i = 0; i < 500; i++) {
                Injection injection = plan.next();
                drawn.add(injection.fault());
                switch (injection.fault()) {
                    case KILL_DATANODE -> assertThat(injection.datanode()).isNotEqualTo(plan.survivingDatanode());
                    case KILL_CLIENT -> assertThat(injection.client()).isNotEqualTo(plan.survivingClient());
                    case KILL_NAMENODE -> assertThat(plan.namenodeSurvives()).isFalse();
                    default -> assertThat(injection.datanode()).isBetween(1, 3);
                }
            }
        }
        assertThat(drawn).isEqualTo(EnumSet.complementOf(EnumSet.of(SoakFault.FAILOVER, SoakFault.HANG_AND_FAIL_OVER)));
    }

    @Test
    void plan_ofAPair_drawsFailovers_andKillsNameNodes_inEverySeed() {
        for (long seed = 1; seed <= 20; seed++) {
            SoakPlan plan = new SoakPlan(seed, 3, 2, true);
            Set<SoakFault> drawn = EnumSet.noneOf(SoakFault.class);
            for (int i = 0; i < 1_000; i++) {
                Injection injection = plan.next();
                drawn.add(injection.fault());
                if (injection.fault() == SoakFault.HANG_AND_FAIL_OVER) {
                    assertThat(injection.lastsMs()).isBetween(1_000L, 8_000L);
                }
            }
            assertThat(drawn)
                    .as("seed " + seed)
                    .contains(SoakFault.FAILOVER, SoakFault.HANG_AND_FAIL_OVER, SoakFault.KILL_NAMENODE);
            assertThat(plan.namenodeSurvives()).isFalse();
        }
    }
}
