package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.LogThrottle;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.memory.PassedChecksums;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out the meta file that belongs to a memory copy whose descriptor is passed. DataNode.requestShortCircuitFdsForRead
 * opens the block's bytes, and then on the same thread its meta file: what the first call opened waits here for the second.
 */
public final class PassedMetaFiles {

    private static final Logger LOG = LoggerFactory.getLogger(PassedMetaFiles.class);

    private record Waiting(Extent copy, FileInputStream file, long lengthBytes) {}

    private final PassedChecksums checksums;
    private final ReplicaSource replicas;
    private final LogThrottle failures = new LogThrottle(TimeUnit.SECONDS.toNanos(10));
    private final ThreadLocal<@Nullable Waiting> waiting = new ThreadLocal<>();

    /** Those of these copies. */
    public PassedMetaFiles(PassedChecksums checksums, ReplicaSource replicas) {
        this.checksums = checksums;
        this.replicas = replicas;
    }

    /** Opens the meta file of a copy that is lent to this thread; false when the copy cannot be passed. */
    boolean open(Extent copy) {
        discard();
        try {
            FileInputStream file = checksums.open(copy, replicas);
            if (file != null) {
                waiting.set(new Waiting(copy, file, file.getChannel().size()));
            }
            return file != null;
        } catch (IOException e) {
            Long others = failures.next(System.nanoTime());
            if (others != null) {
                LOG.warn(
                        "Cannot keep the checksums of {} ({} earlier failures). Stock short-circuit clients get the replica",
                        copy,
                        others,
                        e);
            }
            return false;
        }
    }

    /** What {@link #open} opened on this thread for this block; null when it did not. */
    @Nullable
    LengthInputStream take(ExtendedBlock block) {
        Waiting opened = waiting.get();
        if (opened == null
                || opened.copy.key().blockId() != block.getBlockId()
                || opened.copy.key().generationStamp() != block.getGenerationStamp()
                || !opened.copy.key().pool().equals(block.getBlockPoolId())) {
            return null;
        }
        waiting.remove();
        return new LengthInputStream(opened.file, opened.lengthBytes);
    }

    /** Closes what was opened on this thread and not taken. */
    void discard() {
        Waiting opened = waiting.get();
        if (opened != null) {
            waiting.remove();
            try {
                opened.file.close();
            } catch (IOException e) {
                LOG.debug("Closing the checksums of {}", opened.copy, e);
            }
        }
    }
}
