package io.terrace.placement.policyfile;

/** Lengths of blocks that may be promoted, both inclusive, in bytes. */
public record SizeBounds(long smallestBytes, long largestBytes) {

    public static final SizeBounds ANY = new SizeBounds(0, Long.MAX_VALUE);

    public boolean contains(long lengthBytes) {
        return lengthBytes >= smallestBytes && lengthBytes <= largestBytes;
    }
}
