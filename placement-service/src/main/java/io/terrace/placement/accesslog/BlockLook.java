package io.terrace.placement.accesslog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the log of accesses asks for the files that blocks belong to, and who holds them. May wait for a lock of the NameNode. */
@FunctionalInterface
public interface BlockLook {

    /** Knows none. */
    BlockLook NONE = blocks -> List.of();

    /**
     * What is known of a block.
     *
     * @param path absolute; null if it is not to be kept
     * @param nodes UUIDs of the DataNodes that hold it; empty if they are not to be kept
     */
    record Found(@Nullable String path, List<String> nodes) {}

    /**
     * In the order of the blocks, null where a block is gone.
     *
     * @param blocks at most as many as one hold of the NameNode's lock may look at
     */
    List<@Nullable Found> of(List<Long> blocks);

    /** Whether it may be asked now: the NameNode's lock is held for no more than a share of the time. */
    default boolean isAllowed() {
        return true;
    }
}
