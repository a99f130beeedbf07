package io.terrace.common;

import java.util.Objects;

/**
 * A finalised replica as it was when somebody spoke of it: the block and its length. What names the bytes is the key alone; a
 * client, for one, does not know the length.
 */
public record BlockVersion(BlockKey key, long lengthBytes) {
    public BlockVersion {
        Objects.requireNonNull(key, "key");
    }
}
