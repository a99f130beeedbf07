package io.terrace.placement.journal;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.journal.JournalException.Next;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionOptionsFIFO;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A journal in RocksDB. Heat is compacted by level; moves are never changed, so the files of the oldest ones go when theirs
 * exceed an eighth of the bytes allowed. The log of writes is not synced: a process that dies loses nothing, a host that does
 * loses the last seconds, and all of it may be lost.
 *
 * <p>Off the heap it takes {@value #CACHE_BYTES} bytes for blocks, indexes and filters, and {@value #MEMTABLE_BYTES} for what is
 * not in files yet.
 */
final class RocksStore implements JournalStore {

    static final int CACHE_BYTES = 16 << 20;
    static final int MEMTABLE_BYTES = 16 << 20;
    /** Less room than this on its disk is left to others: the NameNode's metadata may be there too. */
    static final long LEAST_FREE_BYTES = 512L << 20;

    private static final byte[] FORMAT = "format".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BLOCK_POOL = "pool".getBytes(StandardCharsets.US_ASCII);
    private static final byte NODE = 'n';
    private static final byte NOTE = 'k';
    private static final String STORE = "rocksdb";

    private final Path dir;
    private final ReadWriteLock closing = new ReentrantReadWriteLock();
    private final List<RocksObject> parts = new ArrayList<>();
    private final NodeNumbers nodes = new NodeNumbers();
    private final JournalCodec codec = new JournalCodec(nodes);
    private final RocksDB database;
    private final ColumnFamilyHandle names;
    private final ColumnFamilyHandle heat;
    private final ColumnFamilyHandle moves;
    private final WriteOptions unsynced;
    private boolean closed;

    /**
     * Opens the journal in a directory, which is made if need be; what is in it is for its owner only.
     *
     * @param blockPool whose blocks it is about; that of another one is of no use. One that does not say is taken for this one's,
     *     as earlier builds wrote none
     * @param mostBytes on disk
     * @param anew removes what is there
     */
    static RocksStore open(Path dir, String blockPool, long mostBytes, boolean anew) throws JournalException {
        try {
            Path own = Files.createDirectories(dir.resolve(STORE));
            Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException | UnsupportedOperationException e) {
            throw new JournalException(
                    Next.RETRY,
                    TerraceSettings.PLACEMENT_JOURNAL_DIR.key() + " is " + dir + ", which cannot be used (" + e
                            + "): make it a directory of the NameNode's user",
                    e);
        }
        checkRoom(dir);
        RocksLibrary.load(dir);
        try {
            if (anew) {
                try (Options options = new Options()) {
                    RocksDB.destroyDB(dir.resolve(STORE).toString(), options);
                }
            }
            return new RocksStore(dir, blockPool, mostBytes);
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        }
    }

    private RocksStore(Path dir, String blockPool, long mostBytes) throws RocksDBException, JournalException {
        this.dir = dir;
        Cache cache = part(new LRUCache(CACHE_BYTES));
        this.unsynced = part(new WriteOptions().setSync(false));
        CompactionOptionsFIFO oldestGo = part(new CompactionOptionsFIFO().setMaxTableFilesSize(mostBytes / 8));
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        List<ColumnFamilyDescriptor> families = List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family(cache)),
                new ColumnFamilyDescriptor("heat".getBytes(StandardCharsets.US_ASCII), family(cache)),
                new ColumnFamilyDescriptor(
                        "moves".getBytes(StandardCharsets.US_ASCII),
                        family(cache)
                                .useFixedLengthPrefixExtractor(8)
                                .setCompactionStyle(CompactionStyle.FIFO)
                                .setCompactionOptionsFIFO(oldestGo)));
        DBOptions options = part(new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setDbWriteBufferSize(MEMTABLE_BYTES)
                .setMaxTotalWalSize(MEMTABLE_BYTES)
                // As compaction by age needs it; there are some fifty files.
                .setMaxOpenFiles(-1)
                .setKeepLogFileNum(2)
                .setMaxLogFileSize(1 << 20)
                .setMaxManifestFileSize(4 << 20)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setStatsDumpPeriodSec(0)
                .setBytesPerSync(1 << 20));
        try {
            this.database = RocksDB.open(options, dir.resolve(STORE).toString(), families, opened);
        } catch (RocksDBException | RuntimeException e) {
            closeParts();
            throw e;
        }
        this.names = opened.get(0);
        this.heat = opened.get(1);
        this.moves = opened.get(2);
        try {
            checkBlockPool(blockPool);
            readNames();
        } catch (RocksDBException | JournalException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private <T extends RocksObject> T part(T made) {
        parts.add(made);
        return made;
    }

    private ColumnFamilyOptions family(Cache cache) {
        return part(new ColumnFamilyOptions()
                .setWriteBufferSize(MEMTABLE_BYTES / 4)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(16 << 10)
                        .setCacheIndexAndFilterBlocks(true)
                        .setIndexType(IndexType.kTwoLevelIndexSearch)
                        .setPartitionFilters(true)
                        .setFilterPolicy(part(new BloomFilter(10)))));
    }

    private void checkBlockPool(String blockPool) throws RocksDBException, JournalException {
        byte[] own = blockPool.getBytes(StandardCharsets.UTF_8);
        byte[] found = database.get(names, BLOCK_POOL);
        if (found == null) {
            database.put(names, unsynced, BLOCK_POOL, own);
        } else if (!Arrays.equals(found, own)) {
            // After a format, or in a directory that another namespace had: the same ids are of other blocks.
            throw new JournalException(
                    Next.BEGIN_ANEW,
                    "the journal in " + dir + " is of block pool " + new String(found, StandardCharsets.UTF_8)
                            + ", and this NameNode has " + blockPool);
        }
    }

    private void readNames() throws RocksDBException, JournalException {
        byte[] format = database.get(names, FORMAT);
        if (format == null) {
            database.put(names, unsynced, FORMAT, new byte[] {JournalCodec.VERSION});
        } else if (!Arrays.equals(format, new byte[] {JournalCodec.VERSION})) {
            throw new JournalException(
                    Next.BEGIN_ANEW,
                    "the journal in " + dir + " has format " + Arrays.toString(format) + ", and this release writes "
                            + JournalCodec.VERSION);
        }
        try (RocksIterator all = database.newIterator(names)) {
            for (all.seek(new byte[] {NODE}); all.isValid() && all.key()[0] == NODE; all.next()) {
                int number = ByteBuffer.wrap(all.key()).getInt(1);
                if (nodes.number(new String(all.value(), StandardCharsets.UTF_8)) != number) {
                    throw new JournalException(
                            Next.BEGIN_ANEW, "the journal in " + dir + " does not know all its DataNodes");
                }
            }
            all.status();
        }
    }

    @Override
    public void write(List<JournalEntry> entries) throws JournalException {
        try (WriteBatch batch = new WriteBatch()) {
            int known = nodes.size();
            for (JournalEntry entry : entries) {
                if (entry instanceof HeatRecord record) {
                    batch.put(heat, JournalCodec.heatKey(record.block().id()), codec.value(record));
                } else if (entry instanceof MoveRecord record) {
                    batch.put(moves, JournalCodec.moveKey(record), codec.value(record));
                } else if (entry instanceof NoteRecord record && record.isForgotten()) {
                    batch.delete(names, noteKey(record.key()));
                } else if (entry instanceof NoteRecord record) {
                    batch.put(names, noteKey(record.key()), codec.value(record));
                }
            }
            for (int number = known; number < nodes.size(); number++) {
                String name = nodes.name(number);
                if (name != null) {
                    byte[] key = ByteBuffer.allocate(5).put(NODE).putInt(number).array();
                    batch.put(names, key, name.getBytes(StandardCharsets.UTF_8));
                }
            }
            database.write(unsynced, batch);
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        }
    }

    private static byte[] noteKey(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + bytes.length).put(NOTE).put(bytes).array();
    }

    @Override
    public List<NoteRecord> notes() throws JournalException {
        List<NoteRecord> found = read(() -> {
            List<NoteRecord> all = new ArrayList<>();
            try (RocksIterator each = database.newIterator(names)) {
                for (each.seek(new byte[] {NOTE}); each.isValid() && each.key()[0] == NOTE; each.next()) {
                    byte[] key = each.key();
                    all.add(JournalCodec.note(
                            new String(key, 1, key.length - 1, StandardCharsets.UTF_8), each.value()));
                }
                each.status();
            }
            return all;
        });
        return found == null ? List.of() : found;
    }

    @Override
    public @Nullable HeatRecord heat(long blockId) throws JournalException {
        return read(() -> {
            byte[] value = database.get(heat, JournalCodec.heatKey(blockId));
            return value == null ? null : JournalCodec.heat(blockId, value, nodes);
        });
    }

    @Override
    public List<MoveRecord> moves(long blockId, int most) throws JournalException {
        List<MoveRecord> found = read(() -> {
            List<MoveRecord> latest = new ArrayList<>();
            byte[] prefix = JournalCodec.heatKey(blockId);
            try (ReadOptions ofOneBlock = new ReadOptions().setPrefixSameAsStart(true);
                    RocksIterator all = database.newIterator(moves, ofOneBlock)) {
                for (all.seek(prefix); all.isValid() && latest.size() < most; all.next()) {
                    latest.add(JournalCodec.move(all.key(), all.value()));
                }
                all.status();
            }
            return latest;
        });
        return found == null ? List.of() : found;
    }

    @FunctionalInterface
    private interface Reading<T> {
        @Nullable
        T read() throws RocksDBException, JournalException;
    }

    /** Reads on any thread; the store is not closed meanwhile. */
    private <T> @Nullable T read(Reading<T> reading) throws JournalException {
        closing.readLock().lock();
        try {
            if (closed) {
                throw new JournalException(Next.RETRY, "the journal in " + dir + " is closed");
            }
            return reading.read();
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        } finally {
            closing.readLock().unlock();
        }
    }

    @Override
    public HeatCursor cursor() {
        return new RocksCursor(database.newIterator(heat), dir);
    }

    @Override
    public void forget(long[] blockIds, int count) throws JournalException {
        try (WriteBatch batch = new WriteBatch()) {
            for (int i = 0; i < count; i++) {
                batch.delete(heat, JournalCodec.heatKey(blockIds[i]));
            }
            database.write(unsynced, batch);
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        }
    }

    @Override
    public void compact() throws JournalException {
        try {
            database.compactRange(heat);
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        }
    }

    @Override
    public long bytes() throws JournalException {
        try {
            long bytes = 0;
            for (ColumnFamilyHandle family : List.of(names, heat, moves)) {
                bytes += database.getLongProperty(family, "rocksdb.total-sst-files-size");
            }
            return bytes;
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        }
    }

    @Override
    public void checkRoom() throws JournalException {
        checkRoom(dir);
    }

    private static void checkRoom(Path dir) throws JournalException {
        try {
            long free = Files.getFileStore(dir).getUsableSpace();
            if (free < LEAST_FREE_BYTES) {
                throw new JournalException(
                        Next.RETRY,
                        "the disk of " + dir + " has " + free + " bytes left, and the journal leaves "
                                + LEAST_FREE_BYTES
                                + " to others: make room, or set " + TerraceSettings.PLACEMENT_JOURNAL_DIR.key()
                                + " to another directory and restart the NameNode");
            }
        } catch (IOException e) {
            if (e instanceof JournalException told) {
                throw told;
            }
            throw new JournalException(Next.RETRY, dir + " cannot be looked at (" + e + "): mend its file system", e);
        }
    }

    @Override
    public void close() {
        closing.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                List.of(names, heat, moves).forEach(ColumnFamilyHandle::close);
                database.close();
                closeParts();
            }
        } finally {
            closing.writeLock().unlock();
        }
    }

    private void closeParts() {
        for (int i = parts.size() - 1; i >= 0; i--) {
            parts.get(i).close();
        }
    }
}
