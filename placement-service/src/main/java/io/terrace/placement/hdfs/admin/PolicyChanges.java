package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.ShadowRun;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Carries out {@code placementctl policy apply} and {@code rollback}; whoever calls has checked the caller's rights. */
final class PolicyChanges {

    private static final long DRY_RUN_MS = 600_000;

    private final PlacementLoop loop;
    private final PolicyStore policyStore;

    PolicyChanges(PlacementLoop loop, PolicyStore policyStore) {
        this.loop = loop;
        this.policyStore = policyStore;
    }

    /** What the audit log calls the policy that a request carries; null when it carries none. */
    static @Nullable String named(ChangeRequestProto request) {
        if (!request.hasPolicyText()) {
            return null;
        }
        try {
            return PolicyStore.parsed("policy", request.getPolicyText()).policy();
        } catch (IllegalArgumentException e) {
            return "unusable";
        }
    }

    ChangeResponseProto carryOut(ChangeRequestProto request, String user)
            throws IOException, TimeoutException, InterruptedException {
        String text = request.hasPolicyText() ? request.getPolicyText() : null;
        return switch (request.getVerb()) {
            case APPLY_POLICY -> done("policy " + policyStore.apply(text, user) + " is in force");
            case ROLLBACK_POLICY -> {
                long number = policyStore.rollback();
                yield done(number == 0 ? "the configured policy is in force" : "policy " + number + " is in force");
            }
            case REHEARSE_POLICY -> dryRun(text, request.hasForMs() ? request.getForMs() : DRY_RUN_MS);
            case END_REHEARSAL -> {
                loop.changeInTime(placement -> {
                    placement.endShadowRun(loop.nowMs());
                    return true;
                });
                yield done("no dry run is in progress");
            }
            default -> throw new IllegalArgumentException(request.getVerb() + " does not change a policy");
        };
    }

    private ChangeResponseProto dryRun(@Nullable String text, long forMs)
            throws IOException, TimeoutException, InterruptedException {
        if (text == null || forMs < 1_000 || forMs > ShadowRun.MOST_MS) {
            throw new IllegalArgumentException("a dry run needs a policy and a time from 1s to 1d");
        }
        PolicyChoice candidate = new PolicyChoice(PolicyStore.parsed("policy", text), Source.APPLIED, 0);
        Optional<String> refusal = loop.changeInTime(
                placement -> Optional.ofNullable(placement.startShadowRun(loop.nowMs(), candidate, forMs)));
        if (refusal.isPresent()) {
            throw new IOException(refusal.get());
        }
        return done("dry run of policy " + candidate.spec().policy() + " begun; it moves nothing");
    }

    private static ChangeResponseProto done(String message) {
        return ChangeResponseProto.newBuilder()
                .setAccepted(1)
                .setRefused(0)
                .addMessages(message)
                .build();
    }
}
