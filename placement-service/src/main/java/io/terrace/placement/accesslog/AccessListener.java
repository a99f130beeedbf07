package io.terrace.placement.accesslog;

import io.terrace.placement.heartbeat.Heartbeat;

/** Takes the accesses that DataNodes report to the placement loop. Must not block. */
@FunctionalInterface
public interface AccessListener {

    /** Keeps nothing. */
    AccessListener NONE = heartbeat -> {};

    /** What one heartbeat brought, as far as its DataNode's quota admits it. */
    void accesses(Heartbeat heartbeat);

    /** Whether heartbeats are to say on which hosts readers are. */
    default boolean wantsReaders() {
        return false;
    }
}
