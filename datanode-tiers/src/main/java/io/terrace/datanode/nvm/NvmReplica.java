package io.terrace.datanode.nvm;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A finalised replica on a volume of NVM.
 *
 * @param volume the volume's own directory, which has {@code current} in it
 * @param file the block file
 */
public record NvmReplica(BlockVersion block, Path volume, Path file) {

    /** The block's identity. */
    public BlockKey key() {
        return block.key();
    }

    /** Where they are found. Thread-safe. */
    public interface Look {
        /** The finalised replica of a block, if it is on NVM now. */
        @Nullable
        NvmReplica onNvm(String pool, long blockId);
    }
}
