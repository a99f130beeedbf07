package io.terrace.bench.load;

import java.io.IOException;

/** The bytes of the files of a data set, at any position, without reading them from HDFS. Not thread-safe. */
public interface Content {
    /**
     * Fills the first {@code length} bytes of {@code target} with what the file holds from {@code position} on.
     *
     * @param file index of the file in its data set
     * @param version how often the workload has written the file anew
     */
    void fill(int file, int version, long position, byte[] target, int length) throws IOException;
}
