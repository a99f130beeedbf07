package io.terrace.client;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/**
 * The grants that the readers of one stream used last. A stream makes a reader for each positional read, mostly of a block that it
 * read before, with the same token. To find the grant by its key, that token would be serialised and hashed each time.
 *
 * <p>Holds no grant: whoever finds one here asks it, as always, whether it may be used. A stream reads for one user, so block and
 * token are the whole key; another token object means a look by its bytes. One entry for each of {@link #PLACES} residues
 * of block ids, which HDFS numbers upwards. Thread-safe; a look takes no lock and allocates nothing.
 */
public final class StreamGrants {
    private static final int PLACES = 16;

    /** Null until the first grant: most streams get none. */
    private volatile @Nullable AtomicReferenceArray<@Nullable Held> places;

    /** A grant and what it was found by. */
    record Held(Token<BlockTokenIdentifier> token, GrantKey key, LocalGrant grant) {}

    /** The grant that this block was read through last, with this very token; null when there is none. */
    @Nullable
    Held of(LocatedBlock located) {
        AtomicReferenceArray<@Nullable Held> known = places;
        if (known == null) {
            return null;
        }
        ExtendedBlock block = located.getBlock();
        Held held = known.get(place(block.getBlockId()));
        return held != null
                        && held.token() == located.getBlockToken()
                        && held.key().block().blockId() == block.getBlockId()
                        && held.key().block().generationStamp() == block.getGenerationStamp()
                        && held.key().block().pool().equals(block.getBlockPoolId())
                ? held
                : null;
    }

    void hold(LocatedBlock located, GrantKey key, LocalGrant grant) {
        AtomicReferenceArray<@Nullable Held> known = places;
        if (known == null) {
            known = new AtomicReferenceArray<>(PLACES);
            places = known;
        }
        known.set(place(key.block().blockId()), new Held(located.getBlockToken(), key, grant));
    }

    private static int place(long blockId) {
        return (int) (blockId & (PLACES - 1));
    }
}
