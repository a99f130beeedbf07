package io.terrace.placement.hdfs.admin;

import io.terrace.common.StorageTier;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.ShadowRun;
import io.terrace.placement.hdfs.namesystem.PolicyFileWatch;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicyHistory;
import io.terrace.placement.policyfile.PolicyHistory.Step;
import io.terrace.placement.policyfile.PoolSpec;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.AdminProtos.DecisionProto;
import io.terrace.protocol.proto.AdminProtos.PolicyParameterProto;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import io.terrace.protocol.proto.AdminProtos.PolicyStepProto;
import io.terrace.protocol.proto.AdminProtos.PoolProto;
import io.terrace.protocol.proto.AdminProtos.PoolTierProto;
import io.terrace.protocol.proto.AdminProtos.RehearsalProto;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Policies and dry runs on their way to {@code placementctl}. */
final class PolicyCodec {

    private PolicyCodec() {}

    /** @param full whether the caller may see the texts, which hold paths, and decisions, which hold blocks */
    private static PoolProto pool(PoolSpec pool) {
        PoolProto.Builder proto = PoolProto.newBuilder()
                .setName(pool.name())
                .setShare(pool.share().share())
                .setMost(pool.share().most())
                .setLends(pool.share().lends())
                .setPolicy(pool.policy());
        new TreeMap<>(pool.tiers())
                .forEach((tier, share) -> proto.addTiers(PoolTierProto.newBuilder()
                        .setTier(tier.name().toLowerCase(Locale.ROOT))
                        .setShare(share.share())
                        .setMost(share.most())
                        .setLends(share.lends())));
        return proto.build();
    }

    static PolicyResponseProto.Builder policy(
            PlacementEngine placement, long nowMs, PolicyStore policyStore, boolean full) {
        PolicyChoice choice = placement.policyInForce();
        PolicyResponseProto.Builder response = PolicyResponseProto.newBuilder()
                .setPolicy(choice.spec().policy())
                .setSource(choice.source().name().toLowerCase(Locale.ROOT))
                .setNumber(choice.number())
                .setRules(choice.spec().rules().size());
        new TreeMap<>(choice.spec().parameters())
                .forEach((name, value) -> response.addParameters(
                        PolicyParameterProto.newBuilder().setName(name).setValue(value)));
        choice.spec().pools().forEach(pool -> response.addPools(pool(pool)));
        if (full) {
            response.setText(choice.spec().text());
        }
        PolicyFileWatch file = policyStore.file();
        if (file != null && full) {
            response.setFile(file.file().toString());
            String problem = file.problem();
            if (problem != null) {
                response.setFileTrouble(problem);
            }
        }
        String problem = placement.policyProblem();
        if (problem != null) {
            response.setTrouble(problem);
        }
        ShadowRun shadowRun = placement.shadowRun();
        if (shadowRun != null) {
            response.setRehearsal(dryRun(shadowRun, nowMs, full));
        }
        List<NodeReport> nodes = placement.reports().nodes(nowMs);
        return response.setMemoryBytes(nodes.stream()
                        .flatMap(node -> node.tiers().stream())
                        .filter(tier -> tier.tier() == StorageTier.MEMORY)
                        .mapToLong(TierState::capacityBytes)
                        .sum())
                .setDataNodes(nodes.size());
    }

    /**
     * What was applied. Looks into each text, so it is not for the loop's thread.
     *
     * @param inForce number of the policy that the service decides by: an applied one may be unusable
     */
    static List<PolicyStepProto> steps(PolicyHistory history, long inForce, boolean full) {
        return history.steps().stream()
                .map(step -> step(step, step.number() == inForce, full))
                .toList();
    }

    private static PolicyStepProto step(Step step, boolean inForce, boolean full) {
        PolicyStepProto.Builder proto = PolicyStepProto.newBuilder()
                .setNumber(step.number())
                .setBefore(step.before())
                .setAtMs(step.atMs())
                .setUser(step.user())
                .setInForce(inForce);
        String text = step.text();
        if (text != null) {
            proto.setPolicy(name(text));
            if (full) {
                proto.setText(text);
            }
        }
        return proto.build();
    }

    private static String name(String text) {
        try {
            return PolicyStore.stored("policy", text).policy();
        } catch (IllegalArgumentException e) {
            return "unusable";
        }
    }

    private static RehearsalProto dryRun(ShadowRun shadowRun, long nowMs, boolean full) {
        ShadowRun.Totals totals = shadowRun.totals();
        RehearsalProto.Builder proto = RehearsalProto.newBuilder()
                .setPolicy(shadowRun.policy())
                .setRunning(shadowRun.isRunning(nowMs))
                .setRanMs(shadowRun.ranMs(nowMs))
                .setLeftMs(shadowRun.leftMs(nowMs))
                .setReads(totals.reads())
                .setBytesRead(totals.bytesRead())
                .setBytesFromMemory(totals.bytesFromMemory())
                .setRehearsedBytesFromMemory(totals.shadowBytesFromMemory())
                .setPromotions(totals.promotions())
                .setPromotedBytes(totals.promotedBytes())
                .setDrops(totals.drops())
                .setPeakBytes(shadowRun.peakBytes());
        String problem = shadowRun.problem();
        if (problem != null) {
            proto.setTrouble(problem);
        }
        for (ShadowRun.Decision decision : full ? shadowRun.latest() : List.<ShadowRun.Decision>of()) {
            proto.addDecisions(DecisionProto.newBuilder()
                    .setAgoMs(nowMs - decision.atMs())
                    .setKind(ProtoConverter.kind(decision.order().isPromotion()))
                    .setBlockId(decision.order().block().id())
                    .setLengthBytes(decision.order().block().lengthBytes())
                    .setNode(decision.node()));
        }
        return proto.build();
    }
}
