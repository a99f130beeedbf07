package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.BlockId;
import io.terrace.common.BlockKey;
import io.terrace.common.LogThrottle;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.nvm.NvmExtents;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the tiers do for the dataset: serve stock readers, drop what changed, keep pins, hear what is read from NVM. */
public final class TierDatasetListener implements DatasetListener {

    private static final Logger LOG = LoggerFactory.getLogger(TierDatasetListener.class);

    private final LocalTier tier;
    private final MemoryDirectory directory;
    private final PassedMetaFiles passedMetaFiles;
    private final @Nullable NvmExtents nvm;
    private final PinRequests pinRequests;
    private final AnchoredPins anchored;
    private final AccessRecorder accessRecorder;
    private final TimedReads timedReads;
    private final Consumer<BlockId> refreshDescriptors;
    private final Consumer<String> onPoolReady;
    private final Runnable onPins;
    private final LongSupplier nanoClock;
    private final LogThrottle openFailures = new LogThrottle(TimeUnit.SECONDS.toNanos(10));

    /** The block whose descriptors this thread is about to pass to a client with a slot. */
    private final ThreadLocal<@Nullable BlockId> slotted = new ThreadLocal<>();

    /**
     * @param nvm null when nothing is granted from NVM
     * @param refreshDescriptors has clients with a slot ask for new descriptors of a block
     */
    public TierDatasetListener(
            LocalTier tier,
            MemoryDirectory directory,
            PassedMetaFiles passedMetaFiles,
            @Nullable NvmExtents nvm,
            PinRequests pinRequests,
            AnchoredPins anchored,
            AccessRecorder accessRecorder,
            Consumer<BlockId> refreshDescriptors,
            Consumer<String> onPoolReady,
            Runnable onPins,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.directory = directory;
        this.passedMetaFiles = passedMetaFiles;
        this.nvm = nvm;
        this.pinRequests = pinRequests;
        this.anchored = anchored;
        this.accessRecorder = accessRecorder;
        this.timedReads = new TimedReads(accessRecorder, nanoClock);
        this.refreshDescriptors = refreshDescriptors;
        this.onPoolReady = onPoolReady;
        this.onPins = onPins;
        this.nanoClock = nanoClock;
    }

    @Override
    public void slotRegistered(String pool, long blockId) {
        if (ReaderKind.ofCurrentThread() == ReaderKind.PASSED_DESCRIPTOR) {
            slotted.set(new BlockId(pool, blockId));
        }
    }

    private boolean takeSlot(String pool, long blockId) {
        BlockId block = slotted.get();
        slotted.remove();
        return block != null && block.id() == blockId && block.pool().equals(pool);
    }

    @Override
    public @Nullable InputStream openCopy(ExtendedBlock block, long offset) {
        ReaderKind reader = ReaderKind.ofCurrentThread();
        long blockId = block.getBlockId();
        String pool = block.getBlockPoolId();
        boolean passed = reader == ReaderKind.PASSED_DESCRIPTOR;
        if (passed && !takeSlot(pool, blockId)) {
            // Nobody could tell this client that the block changed: it would read the copy until its cache lets go of
            // it, for up to half an hour. The replica changes in the file that it has open.
            return null;
        }
        if (reader == ReaderKind.OTHER || !tier.mayLend(blockId)) {
            return null;
        }
        long beganNs = nanoClock.getAsLong();
        Extent extent = tier.lend(new BlockKey(pool, blockId, block.getGenerationStamp()), passed, beganNs);
        if (extent == null) {
            return null;
        }
        FileInputStream file = null;
        try {
            file = new FileInputStream(directory.file(extent).toFile());
            file.getChannel().position(offset);
            if (passed && !passedMetaFiles.open(extent)) {
                file.close();
                notPassed(extent);
                return null;
            }
            long openNs = nanoClock.getAsLong() - beganNs;
            InputStream copy = CountedStream.of(file, nanoClock, (bytes, readNs) -> {
                tier.giveBack(extent, nanoClock.getAsLong());
                if (!passed) {
                    accessRecorder.stockReadEnded(pool, blockId, bytes, true, openNs + readNs);
                }
            });
            if (passed) {
                accessRecorder.descriptorPassed(pool, blockId, true);
            } else {
                accessRecorder.stockReadBegan(pool, blockId, true);
            }
            return copy;
        } catch (IOException e) {
            cannotOpen(extent, e);
            passedMetaFiles.discard();
            closeQuietly(file);
            if (passed) {
                notPassed(extent);
            } else {
                tier.giveBack(extent, nanoClock.getAsLong());
            }
            return null;
        }
    }

    /** A process without descriptors left cannot open files that are there, and those are good copies. */
    private void cannotOpen(Extent extent, IOException why) {
        long nowNs = nanoClock.getAsLong();
        boolean gone = Files.notExists(directory.file(extent));
        if (gone) {
            tier.changed(extent.key().pool(), extent.key().blockId(), nowNs);
        }
        Long others = openFailures.next(nowNs);
        if (others != null) {
            LOG.warn(
                    "Cannot open the memory copy {} ({} earlier failures). Its replica is read, and the copy {}",
                    extent,
                    others,
                    gone ? "is dropped" : "stays: is the DataNode's limit of open files too low (ulimit -n)?",
                    why);
        }
    }

    private void notPassed(Extent extent) {
        BlockKey key = extent.key();
        if (tier.isPinned(key.pool(), key.blockId())) {
            // Its client may anchor what it was told is pinned, and then skips the checksums; not once the copy is
            // dropped.
            tier.changed(key.pool(), key.blockId(), nanoClock.getAsLong());
        }
        tier.giveBack(extent, nanoClock.getAsLong());
    }

    @Override
    public @Nullable LengthInputStream openMeta(ExtendedBlock block) {
        return passedMetaFiles.take(block);
    }

    @Override
    public InputStream opened(ExtendedBlock block, InputStream stock, long openNs) {
        String pool = block.getBlockPoolId();
        long blockId = block.getBlockId();
        switch (ReaderKind.ofCurrentThread()) {
            case PASSED_DESCRIPTOR -> {
                accessRecorder.descriptorPassed(pool, blockId, false);
                if (nvm != null) {
                    nvm.descriptorPassed(pool, blockId);
                }
            }
            case CLIENT -> {
                if (nvm != null) {
                    nvm.read(pool, blockId);
                }
                return timedReads.opened(pool, blockId, stock, openNs);
            }
            case OTHER -> {}
        }
        return stock;
    }

    @Override
    public void changed(String pool, long blockId) {
        tier.changed(pool, blockId, nanoClock.getAsLong());
        if (nvm != null && nvm.changed(pool, blockId)) {
            // While a grant keeps a link, stock copies the block file before it changes it, and changes the meta file
            // in place. A client that had both open would verify the old bytes by the new checksums, and report a good
            // replica as corrupt.
            refreshDescriptors.accept(new BlockId(pool, blockId));
        }
    }

    @Override
    public void moved(String pool, long blockId) {
        // A memory copy outlives the move; an extent on NVM is a link to the file that is moved.
        if (nvm != null) {
            nvm.changed(pool, blockId);
        }
    }

    @Override
    public void finalised(ExtendedBlock block, boolean written) {
        if (written) {
            accessRecorder.written(block.getBlockPoolId(), block.getBlockId(), block.getNumBytes());
        }
        PinRequests.Pin pin = new PinRequests.Pin(block.getBlockPoolId(), block.getBlockId());
        if (pinRequests.contains(pin) && pinRequests.add(pin, nanoClock.getAsLong())) {
            onPins.run();
        }
    }

    @Override
    public void poolReady(String pool) {
        onPoolReady.accept(pool);
    }

    @Override
    public void poolGone(String pool) {
        pinRequests.removeAll(pool);
        tier.changedAll(pool, RetireCause.POOL_GONE, nanoClock.getAsLong());
        if (nvm != null) {
            nvm.poolGone(pool);
        }
    }

    @Override
    public int pin(String pool, long[] blockIds) {
        int failed = 0;
        for (long blockId : blockIds) {
            PinRequests.Pin pin = new PinRequests.Pin(pool, blockId);
            if (isPinned(pool, blockId)) {
                failed++;
            }
            anchored.pinnedAgain(pin);
            if (!pinRequests.add(pin, nanoClock.getAsLong())) {
                failed++;
                LOG.warn(
                        "Cache directives ask for more than {} blocks on this DataNode: block {} of {} is not copied to"
                                + " memory. Raise {} or remove directives",
                        pinRequests.most(),
                        blockId,
                        pool,
                        TerraceSettings.DATANODE_MEMORY_EXTENTS_MAX.key());
            }
        }
        onPins.run();
        return failed;
    }

    @Override
    public int unpin(String pool, long[] blockIds) {
        int unknown = 0;
        for (long blockId : blockIds) {
            PinRequests.Pin pin = new PinRequests.Pin(pool, blockId);
            boolean pinned = isPinned(pool, blockId);
            if (!pinRequests.remove(pin) && !pinned) {
                unknown++;
            }
            anchored.unpin(pin, nanoClock.getAsLong());
        }
        return unknown;
    }

    @Override
    public List<Long> pinned(String pool) {
        anchored.endReleased(nanoClock.getAsLong());
        return tier.pinnedBlocks(pool).stream()
                .filter(blockId -> !anchored.isEnding(new PinRequests.Pin(pool, blockId)))
                .toList();
    }

    @Override
    public boolean isPinned(String pool, long blockId) {
        return tier.isPinned(pool, blockId) && !anchored.isEnding(new PinRequests.Pin(pool, blockId));
    }

    @Override
    public long pinnedCopies() {
        anchored.endReleased(nanoClock.getAsLong());
        return tier.pinnedCopies();
    }

    @Override
    public long pinCapacityBytes() {
        return tier.usage().capacityBytes();
    }

    @Override
    public long pinUsedBytes() {
        anchored.endReleased(nanoClock.getAsLong());
        return tier.usage().pinnedBytes();
    }

    private static void closeQuietly(@Nullable FileInputStream file) {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.debug("Closing a memory copy", e);
            }
        }
    }
}
