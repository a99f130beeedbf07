package io.terrace.bench.simulation.write;

/** Where planted bugs come in; without one nothing is changed. */
public interface WriteHooks {
    /** How long after {@code write} data is in the replica. */
    default long writtenLateNs() {
        return 0;
    }

    /** How long after {@code finish} a replica is finalised. */
    default long finalisedLateNs() {
        return 0;
    }

    /** Whether a recovery stops the replica's writer. */
    default boolean stopsWriters() {
        return true;
    }

    /** Whether a pipeline that is set up again gets another generation stamp. */
    default boolean renewsStamps() {
        return true;
    }

    /** Whether the client is told that all have finalised a block only when they have. */
    default boolean awaitsAll() {
        return true;
    }

    /** Whether a client goes on with a file that was closed before all DataNodes had it. */
    default boolean finishesClosedFiles() {
        return true;
    }

    /** Whether a client asks again for a block that the NameNode does not add yet. */
    default boolean asksForBlocksAgain() {
        return true;
    }

    /** Whether a replica is finalised by a recovery only at the length that the client says. */
    default boolean comparesLengths() {
        return true;
    }
}
