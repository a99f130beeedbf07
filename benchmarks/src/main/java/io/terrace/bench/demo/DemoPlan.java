package io.terrace.bench.demo;

import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.Workload;

/**
 * What a demo stores and reads.
 *
 * @param data the files
 * @param workload what is read of them
 * @param description of the workload, in a few words
 * @param maxReads when the reading ends, if the workload has not ended before
 * @param maxSeconds the same by time
 */
public record DemoPlan(DataSet data, Workload workload, String description, long maxReads, int maxSeconds) {}
