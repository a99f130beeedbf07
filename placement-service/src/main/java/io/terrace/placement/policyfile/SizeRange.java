package io.terrace.placement.policyfile;

/** Lengths of blocks that may be promoted, both inclusive, in bytes. */
public record SizeRange(long smallestBytes, long largestBytes) {

    public static final SizeRange ANY = new SizeRange(0, Long.MAX_VALUE);

    public boolean contains(long lengthBytes) {
        return lengthBytes >= smallestBytes && lengthBytes <= largestBytes;
    }
}
