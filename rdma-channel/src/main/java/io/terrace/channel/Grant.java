package io.terrace.channel;

import java.util.Objects;

/**
 * The right to read (or write) one extent without asking again, until its lease ends or it is revoked.
 *
 * @param grantId unique within the DataNode process; positive
 * @param linkName name of the hard link by which the client opens the extent file: in the links directory the server
 *     announced, or absolute where an extent lies on another file system. A bearer capability, removed once opened.
 * @param leaseMs counted by the client from before it asked; never longer than the token is valid
 */
public record Grant(long grantId, ExtentDescriptor descriptor, String linkName, long leaseMs) implements GrantAnswer {
    public Grant {
        Objects.requireNonNull(descriptor, "descriptor");
        Objects.requireNonNull(linkName, "linkName");
        if (grantId <= 0 || leaseMs <= 0) {
            throw new IllegalArgumentException("grant id and lease must be positive: " + grantId + ", " + leaseMs);
        }
    }

    /** Leaves the link out: who knows it may open the extent. */
    @Override
    public String toString() {
        return "Grant[" + grantId + ", " + descriptor + ", " + leaseMs + " ms]";
    }
}
