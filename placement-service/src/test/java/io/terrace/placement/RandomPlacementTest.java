package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.state.MoveQueue;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random reads, faults and orders of operators; the service's picture and the DataNodes' must agree in the end. */
class RandomPlacementTest {

    private static final long MB = 1 << 20;
    private static final int SEEDS = 60;
    private static final int STEPS = 1_500;

    @Test
    void random_readsAndFaults_endInAgreement() {
        long first = Long.getLong("terrace.seed", System.nanoTime() & 0xffffff);
        int seeds = Long.getLong("terrace.seed") == null ? SEEDS : 1;
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                new Run(seed).go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("run again with -Dterrace.seed=" + seed, e);
            }
        }
    }

    private static final class Run {
        final Random random;
        final FakeNamespaceView names = new FakeNamespaceView();
        final MetricRegistry metricRegistry = new MetricRegistry();
        final PlacementEngine placement =
                new PlacementEngine(PlacementSettings.from(key -> null), names, metricRegistry);
        final List<FakeDataNode> dataNodes = new ArrayList<>();
        final long[] stamps = new long[40];
        long epoch = 1;
        long nowMs;
        OperatorState orders = OperatorState.initial();

        Run(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                FakeDataNode node = new FakeDataNode("dn" + i, 16 * MB);
                node.carryOut = order -> fault();
                dataNodes.add(node);
            }
            placement.activate(epoch, orders);
        }

        MoveOutcome fault() {
            return switch (random.nextInt(30)) {
                case 0 -> MoveOutcome.FAILED;
                case 1 -> MoveOutcome.NO_ROOM;
                case 2 -> MoveOutcome.LOST;
                case 3 -> MoveOutcome.REFUSED;
                default -> null;
            };
        }

        StampedBlock block(int id) {
            // One file in eight is larger than half a tier.
            return new StampedBlock(id + 1, 1000 + stamps[id], (id % 8 == 7 ? 9 : 1 + id % 4) * MB);
        }

        FakeDataNode any() {
            return dataNodes.get(random.nextInt(dataNodes.size()));
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                step();
                check();
            }
            dataNodes.forEach(node -> node.carryOut = order -> null);
            orders = OperatorState.initial();
            placement.operatorState(orders);
            for (int i = 0; i < 900; i++) {
                nowMs += 250;
                placement.turn(nowMs);
                dataNodes.forEach(node -> node.beat(placement, nowMs));
            }
            settled();
        }

        void step() {
            nowMs += random.nextInt(300);
            int id = Math.min(random.nextInt(stamps.length), random.nextInt(stamps.length));
            switch (random.nextInt(40)) {
                case 0 -> rewrite(id);
                case 1 -> any().restarts();
                case 2 -> failOver();
                case 3 -> orders = orders.withMoves(!orders.moves());
                case 4 -> orders = orders.withServe(!orders.serve());
                case 5 -> pin(id);
                case 6 -> placement.operator().demote(nowMs, "alice", block(id), new Refusals());
                case 7 -> placement
                        .operator()
                        .promote(
                                nowMs,
                                "alice",
                                new Located(block(id), id, List.of("dn0", "dn1", "dn2")),
                                null,
                                new Refusals());
                case 8 -> leave();
                case 9 -> names.verdicts.put((long) id + 1, Verdict.values()[random.nextInt(Verdict.values().length)]);
                case 10 -> names.verdicts.clear();
                case 11 -> any().capacityBytes = (8 + random.nextInt(12)) * MB;
                case 12 -> nowMs += random.nextInt(20) == 0 ? 15_000 : 0;
                case 13 -> any().arrives(block(id), random.nextBoolean());
                default -> any().reads(block(id), 1 + random.nextInt(4));
            }
            placement.operatorState(orders);
            placement.turn(nowMs);
            any().beat(placement, nowMs);
        }

        void failOver() {
            placement.standDown();
            placement.activate(++epoch, orders);
        }

        void rewrite(int id) {
            for (FakeDataNode node : dataNodes) {
                StampedBlock old = node.memory.get((long) id + 1);
                if (old != null) {
                    node.leaves(old);
                }
            }
            stamps[id]++;
        }

        void pin(int id) {
            names.files.put((long) id, List.of(new Located(block(id), id, List.of("dn0", "dn1", "dn2"))));
            orders = orders.withPin(id, random.nextBoolean());
        }

        void leave() {
            FakeDataNode node = any();
            node.memory.values().stream().findFirst().ifPresent(node::leaves);
        }

        void check() {
            EngineStatus engineStatus = placement.engineStatus();
            assertThat(engineStatus.inFlight())
                    .isLessThanOrEqualTo(dataNodes.size() * (4 + MoveQueue.ORDERS_PER_ANSWER));
            assertThat(engineStatus.waiting()).isLessThanOrEqualTo(dataNodes.size() * (256 + 40));
            assertThat(engineStatus.tracked()).isLessThanOrEqualTo(stamps.length);
        }

        void settled() {
            assertThat(placement.engineStatus().waiting())
                    .as("moves that wait for ever")
                    .isZero();
            assertThat(placement.engineStatus().inFlight())
                    .as("moves in flight for ever")
                    .isZero();
            for (FakeDataNode node : dataNodes) {
                PlacementReports reports = placement.reports();
                int resident = 0;
                for (long id = 1; id <= stamps.length; id++) {
                    boolean known = reports.block(nowMs, id, 0).replicas().stream()
                            .anyMatch(standing -> standing.node().equals(node.uuid) && standing.inMemory());
                    assertThat(known).as("blk_" + id + " on " + node.uuid).isEqualTo(node.memory.containsKey(id));
                    resident += known ? 1 : 0;
                }
                assertThat(resident).isEqualTo(node.memory.size());
            }
            assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTIONS_DONE)).isPositive();
        }
    }
}
