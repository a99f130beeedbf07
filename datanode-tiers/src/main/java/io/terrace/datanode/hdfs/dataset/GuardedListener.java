package io.terrace.datanode.hdfs.dataset;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between the dataset and a watch: a fault of ours is never one of the DataNode's, but for one of the JVM, as that
 * there is no memory, which stock handles. The first unexpected exception ends the watch for good, since a copy whose change was missed must not be served; from then on all is stock.
 */
public final class GuardedListener implements DatasetListener {

    private static final Logger LOG = LoggerFactory.getLogger(GuardedListener.class);

    private final DatasetListener watch;
    private final Runnable stop;
    private volatile boolean broken;

    /**
     * Guards a watch.
     *
     * @param stop ends the memory tier: the dataset asks no watch any more, nothing is served from it, and its memory is
     *     given back
     */
    public GuardedListener(DatasetListener watch, Runnable stop) {
        this.watch = watch;
        this.stop = stop;
    }

    private <T> T ask(Function<DatasetListener, T> question, T otherwise) {
        if (broken) {
            return otherwise;
        }
        try {
            return question.apply(watch);
        } catch (RuntimeException | Error e) {
            breakOff(e);
            if (e instanceof VirtualMachineError ofTheJvm) {
                throw ofTheJvm;
            }
            return otherwise;
        }
    }

    private void tell(Consumer<DatasetListener> event) {
        ask(
                present -> {
                    event.accept(present);
                    return true;
                },
                false);
    }

    private void breakOff(Throwable cause) {
        broken = true;
        log(
                "Terrace stops, the DataNode is stock from now on: the memory tier failed. Reads go on from the replicas. Save"
                        + " this log and restart the DataNode",
                cause);
        try {
            stop.run();
        } catch (RuntimeException | Error e) {
            log("Stopping the memory tier failed too", e);
        }
    }

    private static void log(String line, Throwable cause) {
        try {
            LOG.error(line, cause);
        } catch (RuntimeException | Error e) {
            // Without memory the log may fail too, and what is left to do here must be done.
            cause.addSuppressed(e);
        }
    }

    @Override
    public void slotRegistered(String pool, long blockId) {
        tell(present -> present.slotRegistered(pool, blockId));
    }

    @Override
    public @Nullable InputStream openCopy(ExtendedBlock block, long offset) {
        return ask(present -> Optional.ofNullable(present.openCopy(block, offset)), Optional.<InputStream>empty())
                .orElse(null);
    }

    @Override
    public @Nullable LengthInputStream openMeta(ExtendedBlock block) {
        return ask(present -> Optional.ofNullable(present.openMeta(block)), Optional.<LengthInputStream>empty())
                .orElse(null);
    }

    @Override
    public InputStream opened(ExtendedBlock block, InputStream stock, long openNs) {
        return ask(present -> present.opened(block, stock, openNs), stock);
    }

    @Override
    public void changed(String pool, long blockId) {
        tell(present -> present.changed(pool, blockId));
    }

    @Override
    public void moved(String pool, long blockId) {
        tell(present -> present.moved(pool, blockId));
    }

    @Override
    public void finalised(ExtendedBlock block, boolean written) {
        tell(present -> present.finalised(block, written));
    }

    @Override
    public void poolReady(String pool) {
        tell(present -> present.poolReady(pool));
    }

    @Override
    public void poolGone(String pool) {
        tell(present -> present.poolGone(pool));
    }

    @Override
    public int pin(String pool, long[] blockIds) {
        return ask(present -> present.pin(pool, blockIds), blockIds.length);
    }

    @Override
    public int unpin(String pool, long[] blockIds) {
        return ask(present -> present.unpin(pool, blockIds), blockIds.length);
    }

    @Override
    public List<Long> pinned(String pool) {
        return ask(present -> present.pinned(pool), List.of());
    }

    @Override
    public boolean isPinned(String pool, long blockId) {
        return ask(present -> present.isPinned(pool, blockId), false);
    }

    @Override
    public long pinnedCopies() {
        return ask(DatasetListener::pinnedCopies, 0L);
    }

    @Override
    public long pinCapacityBytes() {
        return ask(DatasetListener::pinCapacityBytes, 0L);
    }

    @Override
    public long pinUsedBytes() {
        return ask(DatasetListener::pinUsedBytes, 0L);
    }
}
