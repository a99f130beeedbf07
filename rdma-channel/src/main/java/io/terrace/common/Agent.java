package io.terrace.common;

/**
 * Work that comes again and again, a turn at a time, and that one thread at a time does: on an {@link AgentThread}, or
 * stepped in a test or a simulation.
 */
@FunctionalInterface
public interface Agent {
    /**
     * Does what there is to do now.
     *
     * @param nowNs the time on the clock of whoever calls
     * @return how much was done; 0 when there was nothing to do
     */
    int doWork(long nowNs) throws Exception;

    /** Ends: called once, after the last turn, on the thread of the turns. */
    default void onClose() throws Exception {}
}
