package io.terrace.datanode.memory;

import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.LocalTier;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much the memory tier may hold, which the placement service changes while the DataNode runs. It is for this process: the
 * next one begins with the setting. Where there is more in the tier than it may hold from now on, nothing new comes in until
 * the service has dropped enough. Thread-safe.
 */
public final class MemorySize {

    private static final Logger LOG = LoggerFactory.getLogger(MemorySize.class);

    private final LocalTier tier;
    private final Bounds bounds;
    private final Room room;

    /**
     * What it may be, bytes.
     *
     * @param configured what the setting says
     * @param most that a change may lead to
     * @param region the virtual range in which copies have addresses
     */
    public record Bounds(long configured, long most, long region) {}

    /** The file system that the copies are on. */
    public interface Room {

        /** Bytes that could still be written there. */
        long usableBytes() throws IOException;
    }

    /** The size of this tier, which has the one of the setting. */
    public MemorySize(LocalTier tier, Bounds bounds, Room room) {
        this.tier = tier;
        this.bounds = bounds;
        this.room = room;
    }

    /** What the setting says. */
    public long configuredBytes() {
        return bounds.configured();
    }

    /**
     * Changes it.
     *
     * @return null, or why it stays as it is, with the remedy
     */
    public @Nullable String change(long bytes) {
        String refusal = refusal(bytes);
        if (refusal == null) {
            tier.space().resize(bytes);
            LOG.info("The memory tier may hold {} bytes from now on; the setting says {}", bytes, bounds.configured());
        } else {
            LOG.warn("The memory tier is not changed to {} bytes: {}", bytes, refusal);
        }
        return refusal;
    }

    private @Nullable String refusal(long bytes) {
        if (bytes < AddressSpace.PAGE_BYTES) {
            return "the least is " + AddressSpace.PAGE_BYTES + " bytes";
        }
        if (bytes > bounds.most()) {
            return "the most is " + bounds.most() + " bytes, by " + TerraceSettings.DATANODE_MEMORY_CAPACITY_MAX.key()
                    + ": raise that and restart the DataNode";
        }
        if (bytes > bounds.region() / 2) {
            return TerraceSettings.DATANODE_REGION_SIZE.key() + " is " + bounds.region()
                    + " bytes, and must be twice the capacity: raise that and restart the DataNode";
        }
        LocalTier.Usage usage = tier.usage();
        if (bytes < usage.pinnedBytes()) {
            return "cache directives pin " + usage.pinnedBytes() + " bytes: remove some (hdfs cacheadmin)";
        }
        try {
            long usable = room.usableBytes();
            // What is being written may not have all its pages yet.
            long toCome = bytes - (usage.usedBytes() - usage.changingBytes());
            return toCome > usable
                    ? "its file system has " + usable + " bytes left and the tier would want " + toCome
                            + ": mount it with a larger size= (mount -o remount,size=)"
                    : null;
        } catch (IOException e) {
            return "its file system cannot be looked at: " + e.getMessage();
        }
    }
}
