package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.move.FirstReads;
import io.terrace.placement.move.WrittenBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.Map;

/** A DataNode of the placement service, and what its heartbeats carry. */
abstract class HeartbeatProcessorFixture extends DataNodeFixture {
    static final long EPOCH = 7;
    static final StampedBlock BLOCK = block(1, 1);

    final ReportValidator reportValidator = new ReportValidator(clusterState, names);
    final HeartbeatProcessor processor = new HeartbeatProcessor(clusterState, reportValidator);
    HeatProcessor heatProcessor = heatProcessor(PolicySpec.plain("lru", Map.of()));

    HeatProcessor heatProcessor(PolicySpec spec) {
        return new HeatProcessor(
                clusterState,
                names,
                new RuleEvaluator(clusterState, names, spec),
                reportValidator,
                new WrittenBlocks(clusterState, names),
                new FirstReads(
                        FirstReadSettings.OFF,
                        clusterState,
                        names,
                        new HomeSelector(clusterState),
                        new WrittenBlocks(clusterState, names)),
                new HomeSelector(clusterState));
    }

    Move sent(Move move) {
        move.order(nowMs, 0);
        node.moveQueue().sent(move);
        return move;
    }

    void result(Move move, MoveOutcome outcome) {
        processor.results(
                nowMs, EPOCH, node, List.of(new Result(move.id(), EPOCH, outcome, move.block(), 10, 1, null)));
    }

    void reports(boolean full, Residency... changes) {
        processor.residency(nowMs, node, List.of(changes), full);
    }

    static Residency arrived(StampedBlock block) {
        return new Residency(block, true, false);
    }

    static Residency left(StampedBlock block) {
        return new Residency(block, false, false);
    }

    static Heat reads(StampedBlock block, long reads) {
        return new Heat(block, StorageTier.DISK, false, reads, reads * 100, reads * 10, 0, 0, 0);
    }

    static Heat writes(StampedBlock block) {
        return new Heat(block, StorageTier.DISK, false, 0, 0, 0, 1, 100, 0);
    }

    void heat(Heat... entries) {
        heatProcessor.take(nowMs, node, List.of(entries));
    }
}
