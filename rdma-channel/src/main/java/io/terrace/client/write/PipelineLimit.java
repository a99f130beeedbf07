package io.terrace.client.write;

/**
 * How many blocks of a file are written at one time. The NameNode adds a block when each but the last one has
 * {@code dfs.namenode.replication.min} replicas, a number that it tells no client. Where it refuses a block for that while others are
 * behind, at most one is behind from then on, in all files. Thread-safe.
 */
final class PipelineLimit {
    private static final int ONE_BEHIND = 2;

    private final int most;
    private volatile boolean replicasAwaited;

    /** @param most the configured number */
    PipelineLimit(int most) {
        this.most = most;
    }

    boolean replicasAwaited() {
        return replicasAwaited;
    }

    int blocks() {
        return replicasAwaited ? Math.min(ONE_BEHIND, most) : most;
    }

    /** The NameNode wants more replicas of a block than its first DataNode's before it adds the second next one. */
    void awaitReplicas() {
        replicasAwaited = true;
    }
}
