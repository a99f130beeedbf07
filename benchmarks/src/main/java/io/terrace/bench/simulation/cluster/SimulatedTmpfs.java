package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.MemoryChannel;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.memory.LeftoverFiles;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.writethrough.DraftFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tmpfs of one host. It outlives the DataNode's processes, may be smaller than the tier believes, because others use
 * it too, and can be full in the middle of a file.
 */
public final class SimulatedTmpfs {

    private static final long WRITE_NS = 40_000;

    private final Scheduler scheduler;
    private final long sizeBytes;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, Entry> leftovers = new LinkedHashMap<>();
    private final Map<String, MemoryFile> links = new LinkedHashMap<>();
    /** Of copies whose blocks are being written. */
    private final Map<Path, MemoryFile> drafts = new LinkedHashMap<>();

    private long lastDraft;
    private long othersBytes;

    private static final class Entry {
        final Extent extent;
        final MemoryFile file;
        boolean sealed;

        Entry(Extent extent, MemoryFile file) {
            this.extent = extent;
            this.file = file;
        }
    }

    public SimulatedTmpfs(Scheduler scheduler, long sizeBytes) {
        this.scheduler = scheduler;
        this.sizeBytes = sizeBytes;
    }

    /** Other users of the same tmpfs take so much. */
    public void fillBy(long bytes) {
        othersBytes = bytes;
    }

    /** Bytes of all files that still have a name. */
    public long namedBytes() {
        long bytes = 0;
        for (Entry entry : entries.values()) {
            bytes += entry.file.lengthBytes();
        }
        for (Entry entry : leftovers.values()) {
            bytes += entry.file.lengthBytes();
        }
        for (MemoryFile draft : drafts.values()) {
            bytes += draft.lengthBytes();
        }
        return bytes;
    }

    public int links() {
        return links.size();
    }

    public boolean hasLeftovers() {
        return !leftovers.isEmpty();
    }

    public int files() {
        return entries.size() + leftovers.size() + drafts.size();
    }

    /** The file under a link's name, as {@code open} finds it. */
    MemoryFile open(String link) throws IOException {
        MemoryFile file = links.get(link);
        if (file == null) {
            throw new FileNotFoundException(link);
        }
        return file;
    }

    /** A new process starts: links of the earlier one and incomplete files are removed. */
    void takeOver() {
        links.clear();
        drafts.clear();
        leftovers.clear();
        entries.forEach((name, entry) -> {
            if (entry.sealed) {
                leftovers.put(name, entry);
            }
        });
        entries.clear();
    }

    /** The host loses power. */
    void powerCut() {
        entries.clear();
        leftovers.clear();
        links.clear();
        drafts.clear();
    }

    /** The bytes of a leftover of this block; null when there is none. */
    public byte @Nullable [] leftover(long blockId) {
        for (Entry entry : leftovers.values()) {
            if (entry.extent.key().blockId() == blockId) {
                return entry.file.content();
            }
        }
        return null;
    }

    /** A file has wrong bytes when the next process finds it; readers that have it open still see the right ones. */
    public void rotLeftover() {
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            MemoryFile file = entry.getValue().file;
            if (file.lengthBytes() > 0 && scheduler.oneIn(2)) {
                Entry damaged = new Entry(entry.getValue().extent, new MemoryFile(file.content()));
                damaged.sealed = entry.getValue().sealed;
                damaged.file.flip(scheduler.random().nextInt(file.lengthBytes()), 3);
                entry.setValue(damaged);
                return;
            }
        }
    }

    private static String name(Extent extent) {
        return extent.key().blockId() + "_" + extent.key().generationStamp() + "_" + extent.number();
    }

    /** The tmpfs as one process of the DataNode sees it; does nothing once the process is dead. */
    public final class Mount implements ExtentStore, LeftoverFiles, DraftFiles {

        private final OsProcess process;

        Mount(OsProcess process) {
            this.process = process;
        }

        @Override
        public FileChannel create(Extent extent) throws IOException {
            process.blockFor(WRITE_NS);
            MemoryFile file = new MemoryFile();
            if (entries.putIfAbsent(name(extent), new Entry(extent, file)) != null) {
                throw new IOException("File exists: " + name(extent));
            }
            return MemoryChannel.opened(process, file, true, this::admitWrite);
        }

        private int admitWrite(int bytes) throws IOException {
            process.blockFor(scheduler.between(WRITE_NS / 4, WRITE_NS * 4));
            long freeBytes = sizeBytes - othersBytes - namedBytes();
            if (freeBytes <= 0) {
                process.say("the tmpfs is full");
                throw new IOException("No space left on device");
            }
            return (int) Math.min(bytes, freeBytes);
        }

        @Override
        public Draft create() {
            process.blockFor(WRITE_NS);
            MemoryFile file = new MemoryFile();
            Path path = Path.of("draft_" + ++lastDraft);
            drafts.put(path, file);
            return new Draft(path, MemoryChannel.opened(process, file, true, this::admitWrite));
        }

        @Override
        public void adopt(Draft draft, Extent extent) throws IOException {
            draft.file().close();
            process.checkAlive();
            MemoryFile file = drafts.remove(draft.path());
            if (file == null) {
                throw new FileNotFoundException(draft.path().toString());
            }
            Entry entry = new Entry(extent, file);
            entry.sealed = true;
            entries.put(name(extent), entry);
        }

        @Override
        public boolean remove(Draft draft) {
            try {
                draft.file().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            process.checkAlive();
            drafts.remove(draft.path());
            return true;
        }

        @Override
        public void seal(Extent extent) throws IOException {
            process.checkAlive();
            find(extent).sealed = true;
        }

        @Override
        public FileChannel open(Extent extent) throws IOException {
            process.checkAlive();
            return MemoryChannel.opened(process, find(extent).file, false, bytes -> {
                process.blockFor(scheduler.between(5_000, 100_000));
                return bytes;
            });
        }

        @Override
        public boolean remove(Extent extent, boolean truncate) {
            process.checkAlive();
            Entry entry = entries.remove(name(extent));
            if (entry != null && truncate) {
                entry.file.truncate(0);
            }
            return true;
        }

        /** Gives the extent's file a further name. */
        void link(Extent extent, String link) throws IOException {
            process.checkAlive();
            links.put(link, find(extent).file);
        }

        public void unlink(String link) {
            process.checkAlive();
            links.remove(link);
        }

        @Override
        public List<MemoryDirectory.Leftover> leftovers() {
            List<MemoryDirectory.Leftover> found = new ArrayList<>();
            leftovers.forEach((name, entry) -> found.add(new MemoryDirectory.Leftover(
                    Path.of(name), new BlockVersion(entry.extent.key(), entry.file.lengthBytes()))));
            return found;
        }

        @Override
        public FileChannel open(MemoryDirectory.Leftover leftover) throws IOException {
            Entry entry = leftovers.get(leftover.path().toString());
            if (entry == null) {
                throw new FileNotFoundException(leftover.path().toString());
            }
            return MemoryChannel.opened(process, entry.file, false, bytes -> {
                process.blockFor(scheduler.between(5_000, 100_000));
                return bytes;
            });
        }

        @Override
        public void adopt(MemoryDirectory.Leftover leftover, Extent extent) throws IOException {
            process.checkAlive();
            Entry before = leftovers.remove(leftover.path().toString());
            if (before == null) {
                throw new FileNotFoundException(leftover.path().toString());
            }
            Entry entry = new Entry(extent, before.file);
            entry.sealed = true;
            entries.put(name(extent), entry);
        }

        @Override
        public void discard(MemoryDirectory.Leftover leftover) {
            process.checkAlive();
            leftovers.remove(leftover.path().toString());
        }

        /** The bytes of an extent, for the invariants. */
        public MemoryFile file(Extent extent) throws IOException {
            return find(extent).file;
        }

        private Entry find(Extent extent) throws IOException {
            Entry entry = entries.get(name(extent));
            if (entry == null) {
                throw new FileNotFoundException(name(extent));
            }
            return entry;
        }
    }
}
