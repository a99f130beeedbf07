package io.terrace.bench.load;

/**
 * One step of a workload.
 *
 * @param kind read a range or write the whole file anew
 * @param file index of the file in its data set
 * @param position first byte
 * @param lengthBytes how many bytes; a write covers the file
 */
public record Step(Kind kind, int file, long position, long lengthBytes) {
    /** What a step does. */
    public enum Kind {
        READ,
        WRITE
    }
}
