package io.terrace.channel.server;

import io.terrace.common.FairQuota;
import org.jspecify.annotations.Nullable;

/**
 * Whom a grant counts for, as far as the DataNode knows it for sure. Limits apply to each principal, however many
 * connections it has and whatever name it gives itself.
 *
 * @param proof how it is known
 * @param user empty for all who have none
 */
public record Principal(Proof proof, String user) {

    /** How a user is known; users of one name that are known in different ways are apart. */
    public enum Proof {
        /** The kernel says so: an operating system user of this host. */
        KERNEL,
        /** The block token says so, and its secret was checked: an HDFS user. */
        TOKEN,
        /** Nothing does: a client of another host, where block tokens are off. */
        NONE,
        /** Nothing does, though something must: a client of another host without a good token. */
        BAD
    }

    /** All clients of other hosts, where block tokens are off and nothing tells them apart. */
    public static final Principal UNKNOWN = new Principal(Proof.NONE, "");

    /** All who show no good block token where one is needed: none of them is granted anything. */
    public static final Principal UNPROVEN = new Principal(Proof.BAD, "");

    /**
     * Takes its part of what is shared. Where no client of another host can be told from another, all of them are one
     * principal: it may have everything, since what it does not use would be kept for no one.
     */
    boolean takeOf(FairQuota<Principal> quota, long amount) {
        return proof == Proof.NONE ? quota.takeAny(this, amount) : quota.take(this, amount);
    }

    /** A process of this host. */
    public static Principal onThisHost(String systemUser) {
        return new Principal(Proof.KERNEL, systemUser);
    }

    /**
     * A process of another host. What it calls itself is worth nothing, so without a token all such are one.
     *
     * @param tokenUser whose token it showed; null where tokens are off
     */
    public static Principal onAnotherHost(@Nullable String tokenUser) {
        return tokenUser == null ? UNKNOWN : new Principal(Proof.TOKEN, tokenUser);
    }
}
