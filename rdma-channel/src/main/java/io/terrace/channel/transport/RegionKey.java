package io.terrace.channel.transport;

import java.util.Objects;

/**
 * The right to reach one registered range: 128 bits that nobody guesses (an rkey, for verbs), and the range they are for.
 * Handed out with a grant, over the control path only; void once the range is deregistered.
 *
 * @param address first byte of the range at its owner
 */
public record RegionKey(long high, long low, long address, long lengthBytes, Access access) {
    public RegionKey {
        Objects.requireNonNull(access, "access");
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("negative length " + lengthBytes);
        }
    }

    /** The 128 bits as 32 hexadecimal digits. */
    public String digits() {
        return String.format("%016x%016x", high, low);
    }

    /** The key whose {@link #digits} these are. */
    public static RegionKey of(String digits, long address, long lengthBytes, Access access) {
        return new RegionKey(
                Long.parseUnsignedLong(digits, 0, 16, 16),
                Long.parseUnsignedLong(digits, 16, 32, 16),
                address,
                lengthBytes,
                access);
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "RegionKey[" + address + "+" + lengthBytes + ", " + access + "]";
    }
}
