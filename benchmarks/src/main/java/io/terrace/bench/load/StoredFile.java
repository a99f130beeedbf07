package io.terrace.bench.load;

/**
 * One file of a data set.
 *
 * @param path absolute path in HDFS
 * @param lengthBytes its length, the same for every version of it
 * @param storedFirst whether it is there before the workload begins; otherwise the workload writes it
 */
public record StoredFile(String path, long lengthBytes, boolean storedFirst) {}
