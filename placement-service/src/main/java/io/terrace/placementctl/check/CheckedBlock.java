package io.terrace.placementctl.check;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A block that was read, and what served it.
 *
 * @param dataNode that stock HDFS read from; null when it is not known
 * @param cause why memory did not serve it; null when it did
 */
public record CheckedBlock(
        long blockId, long lengthBytes, Served served, @Nullable String dataNode, @Nullable Cause cause) {

    /** What served a read. */
    public enum Served {
        MEMORY("memory of this host"),
        MEMORY_TCP("memory of another host, over tcp"),
        MEMORY_VERBS("memory of another host, by RDMA"),
        NVM_LOCAL("NVM of this host"),
        NVM("NVM of a DataNode, over the channel"),
        STOCK("stock HDFS");

        private final String text;

        Served(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /** As {@code --json} has it. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
