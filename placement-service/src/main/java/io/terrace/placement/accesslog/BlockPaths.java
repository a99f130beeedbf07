package io.terrace.placement.accesslog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the log of accesses asks for the files that blocks belong to. May wait for a lock of the NameNode. */
@FunctionalInterface
public interface BlockPaths {

    /** Knows none. */
    BlockPaths NONE = blocks -> List.of();

    /**
     * Absolute paths in the order of the blocks, null where a block is gone.
     *
     * @param blocks at most as many as one hold of the NameNode's lock may look at
     */
    List<@Nullable String> of(List<Long> blocks);
}
