package io.terrace.policy.api;

/**
 * Takes the moves that a {@link PlacementPolicy} requests. Demotions that make room come before the promotion that
 * needs it, so a caller that carries requests out in order never overfills a tier.
 */
@FunctionalInterface
public interface MoveRequests {

    /**
     * The object should be in another tier. The policy books the request as done; the caller answers with
     * {@link PlacementPolicy#moved} or {@link PlacementPolicy#moveFailed}, at once or later.
     *
     * @param object the object
     * @param sizeBytes its stored size as last reported to the policy
     * @param fromTier tier the policy believes it to be in
     * @param toTier wanted tier, different from {@code fromTier}
     */
    void place(long object, long sizeBytes, int fromTier, int toTier);
}
