package io.terrace.bench.fuzz;

import java.util.List;

/**
 * Something that reads what others wrote. It may refuse input, as it documents; anything else that it throws is a finding, and
 * so is a check of what it made of the input.
 */
interface FuzzTarget {

    /** Valid input of each kind, and input that was a finding once. */
    List<byte[]> seeds() throws Exception;

    /** Reads one input; throws what is a finding. */
    void read(byte[] input) throws Exception;

    /** A broken promise of what reads the input. */
    static void require(boolean holds, String promise) {
        if (!holds) {
            throw new IllegalStateException(promise);
        }
    }
}
