package io.terrace.client;

/** A grant that a {@link GrantCache} holds. */
public interface CachedGrant {
    GrantKey key();

    /** Whether something new may be read through it. */
    boolean isUsable();
}
