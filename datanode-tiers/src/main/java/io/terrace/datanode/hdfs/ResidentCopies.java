package io.terrace.datanode.hdfs;

import io.terrace.channel.BlockKey;
import io.terrace.datanode.Accesses;
import io.terrace.datanode.Extent;
import io.terrace.datanode.MemoryDirectory;
import io.terrace.datanode.MemoryTier;
import io.terrace.datanode.NvmExtents;
import io.terrace.datanode.Pins;
import io.terrace.datanode.RetireCause;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the tiers do for the dataset: serve stock readers, drop what changed, keep pins, hear what is read from NVM. */
final class ResidentCopies implements ReplicaWatch {

    private static final Logger LOG = LoggerFactory.getLogger(ResidentCopies.class);

    private final MemoryTier tier;
    private final MemoryDirectory directory;
    private final @Nullable NvmExtents nvm;
    private final Pins pins;
    private final AnchoredPins anchored;
    private final Accesses accesses;
    private final Consumer<String> onPoolReady;
    private final Runnable onPins;
    private final LongSupplier nanoClock;

    /** @param nvm null when nothing is granted from NVM */
    ResidentCopies(
            MemoryTier tier,
            MemoryDirectory directory,
            @Nullable NvmExtents nvm,
            Pins pins,
            AnchoredPins anchored,
            Accesses accesses,
            Consumer<String> onPoolReady,
            Runnable onPins,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.directory = directory;
        this.nvm = nvm;
        this.pins = pins;
        this.anchored = anchored;
        this.accesses = accesses;
        this.onPoolReady = onPoolReady;
        this.onPins = onPins;
        this.nanoClock = nanoClock;
    }

    @Override
    public @Nullable InputStream openCopy(ExtendedBlock block, long offset) {
        ReaderKind reader = ReaderKind.ofCurrentThread();
        if (reader == ReaderKind.OTHER) {
            return null;
        }
        String pool = block.getBlockPoolId();
        long blockId = block.getBlockId();
        boolean passed = reader == ReaderKind.PASSED_DESCRIPTOR;
        Extent extent =
                tier.lend(new BlockKey(pool, blockId, block.getGenerationStamp()), passed, nanoClock.getAsLong());
        if (extent == null) {
            return null;
        }
        FileInputStream file = null;
        try {
            file = new FileInputStream(directory.file(extent).toFile());
            file.getChannel().position(offset);
            InputStream copy = CountedStream.of(file, bytes -> {
                tier.giveBack(extent, nanoClock.getAsLong());
                if (!passed) {
                    accesses.stockReadEnded(pool, blockId, bytes, true);
                }
            });
            if (passed) {
                accesses.descriptorPassed(pool, blockId, true);
            } else {
                accesses.stockReadBegan(pool, blockId, true);
            }
            return copy;
        } catch (IOException e) {
            LOG.warn("Cannot open the memory copy {}; it is dropped and the replica is read", extent, e);
            tier.changed(pool, blockId, nanoClock.getAsLong());
            tier.giveBack(extent, nanoClock.getAsLong());
            closeQuietly(file);
            return null;
        }
    }

    @Override
    public InputStream opened(ExtendedBlock block, InputStream stock) {
        String pool = block.getBlockPoolId();
        long blockId = block.getBlockId();
        switch (ReaderKind.ofCurrentThread()) {
            case PASSED_DESCRIPTOR -> accesses.descriptorPassed(pool, blockId, false);
            case CLIENT -> {
                accesses.stockReadBegan(pool, blockId, false);
                if (nvm != null) {
                    nvm.read(pool, blockId);
                }
                if (stock instanceof FileInputStream file) {
                    try {
                        return CountedStream.of(file, bytes -> accesses.stockReadEnded(pool, blockId, bytes, false));
                    } catch (IOException e) {
                        LOG.debug("The bytes of this read are not counted", e);
                    }
                }
            }
            case OTHER -> {}
        }
        return stock;
    }

    @Override
    public void changed(String pool, long blockId) {
        tier.changed(pool, blockId, nanoClock.getAsLong());
        if (nvm != null) {
            nvm.changed(pool, blockId);
        }
    }

    @Override
    public void finalised(ExtendedBlock block) {
        accesses.written(block.getBlockPoolId(), block.getBlockId(), block.getNumBytes());
        Pins.Pin pin = new Pins.Pin(block.getBlockPoolId(), block.getBlockId());
        if (pins.contains(pin) && pins.add(pin, nanoClock.getAsLong())) {
            onPins.run();
        }
    }

    @Override
    public void poolReady(String pool) {
        onPoolReady.accept(pool);
    }

    @Override
    public void poolGone(String pool) {
        pins.removeAll(pool);
        tier.changedAll(pool, RetireCause.POOL_GONE, nanoClock.getAsLong());
        if (nvm != null) {
            nvm.poolGone(pool);
        }
    }

    @Override
    public int pin(String pool, long[] blockIds) {
        int failed = 0;
        for (long blockId : blockIds) {
            Pins.Pin pin = new Pins.Pin(pool, blockId);
            if (isPinned(pool, blockId)) {
                failed++;
            }
            anchored.pinnedAgain(pin);
            if (!pins.add(pin, nanoClock.getAsLong())) {
                failed++;
                LOG.warn("Too many cache directives: block {} of {} is not copied to memory", blockId, pool);
            }
        }
        onPins.run();
        return failed;
    }

    @Override
    public int unpin(String pool, long[] blockIds) {
        int unknown = 0;
        for (long blockId : blockIds) {
            Pins.Pin pin = new Pins.Pin(pool, blockId);
            boolean pinned = isPinned(pool, blockId);
            if (!pins.remove(pin) && !pinned) {
                unknown++;
            }
            anchored.unpin(pin, nanoClock.getAsLong());
        }
        return unknown;
    }

    @Override
    public List<Long> pinned(String pool) {
        anchored.settle(nanoClock.getAsLong());
        return tier.pinnedBlocks(pool).stream()
                .filter(blockId -> !anchored.isEnding(new Pins.Pin(pool, blockId)))
                .toList();
    }

    @Override
    public boolean isPinned(String pool, long blockId) {
        return tier.isPinned(pool, blockId) && !anchored.isEnding(new Pins.Pin(pool, blockId));
    }

    @Override
    public long pinnedCopies() {
        anchored.settle(nanoClock.getAsLong());
        return tier.pinnedCopies();
    }

    @Override
    public long pinCapacityBytes() {
        return tier.usage().capacityBytes();
    }

    @Override
    public long pinUsedBytes() {
        anchored.settle(nanoClock.getAsLong());
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
