package io.terrace.bench.writefaults;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.writefaults.WriteFaultPlan.Injection;
import io.terrace.bench.writefaults.WriteFaultPlan.Kind;
import io.terrace.bench.writefaults.WriteFaultPlan.Step;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WriteFaultPlanTest {
    private static final int SEEDS = 500;

    @Test
    void seed_drawsTheSamePlanAgain() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(WriteFaultPlan.of(seed)).isEqualTo(WriteFaultPlan.of(seed));
        }
    }

    @Test
    void steps_writeTheWholeFile_andEndWhereTheFaultComes() {
        for (long seed = 0; seed < SEEDS; seed++) {
            WriteFaultPlan plan = WriteFaultPlan.of(seed);
            long at = 0;
            boolean atFault = plan.first().offset() == 0;
            for (Step step : plan.steps()) {
                assertThat(step.end()).isGreaterThanOrEqualTo(step.kind() == Kind.WRITE ? at + 1 : at);
                at = step.end();
                atFault |= at == plan.first().offset();
            }
            assertThat(at).isEqualTo(plan.fileBytes());
            assertThat(atFault).as(plan.text()).isTrue();
            assertThat(plan.blockBytes() % 512).isZero();
        }
    }

    @Test
    void seeds_drawEveryFaultAndEveryStage() {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        Set<Stage> stages = EnumSet.noneOf(Stage.class);
        for (long seed = 0; seed < SEEDS; seed++) {
            for (Injection injection : WriteFaultPlan.of(seed).injections()) {
                faults.add(injection.fault());
                stages.add(injection.stage());
            }
        }
        assertThat(faults).containsExactlyInAnyOrder(Fault.values());
        assertThat(stages).containsExactlyInAnyOrder(Stage.values());
    }

    @Test
    void writer_mustSucceed_whereAnotherReplicaIsLeft() {
        for (long seed = 0; seed < SEEDS; seed++) {
            WriteFaultPlan plan = WriteFaultPlan.of(seed);
            Fault fault = plan.first().fault();
            if (fault == Fault.KILL_CLIENT || fault == Fault.TAKE_LEASE) {
                assertThat(plan.mustSucceed()).isFalse();
            }
            if (fault == Fault.KILL_DATANODE && plan.second() == null) {
                assertThat(plan.mustSucceed()).isEqualTo(plan.replication() > 1);
            }
        }
    }

    @Test
    void writer_mustSucceed_whereItsOnlyDataNodeIsSilentForAMoment() {
        Set<Boolean> seen = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            WriteFaultPlan plan = WriteFaultPlan.of(seed);
            Fault fault = plan.first().fault();
            if ((fault == Fault.STOP_DATANODE || fault == Fault.STALL_LINK)
                    && plan.second() == null
                    && plan.replication() == 1) {
                assertThat(plan.mustSucceed())
                        .as(plan.text())
                        .isEqualTo(plan.first().lastsMs() <= WriteFaultPlan.UNNOTICED_MS);
                seen.add(plan.mustSucceed());
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(true, false);
    }
}
