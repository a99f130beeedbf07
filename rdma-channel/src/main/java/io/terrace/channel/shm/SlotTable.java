package io.terrace.channel.shm;

import io.terrace.common.BlockKey;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;

/**
 * The states of a DataNode's extents in one small file that clients of the host map read-only: whether a block is
 * resident, and whether an extent is still live, is known without a call.
 *
 * <p>Each slot has 16 bytes: {@code sequence << 8 | state}, then a keyed 64-bit fingerprint of the block. A block's slot
 * lies in one of two buckets of 8 slots picked by its hash, so a client looks at 16 slots at most; that table is full for
 * a block when both buckets are, at a load far above nine tenths (two-choice hashing: Azar et al., "Balanced
 * allocations", 1994). A false match of a fingerprint costs a refused grant and nothing else, since only a grant carries
 * rights. The sequence grows whenever a slot is freed, so an old grant never matches a slot's later use.
 *
 * <p>The header carries magic, version, the incarnation of the DataNode process and a heartbeat, so that the table of a
 * dead process is noticed. The file is written in full when it is made: a full tmpfs is an IOException here, never a
 * SIGBUS later.
 *
 * <p>Owned by one thread at a time on the server ({@link #claim}, {@link #publish}, {@link #retire}, {@link #free} are
 * synchronized); any number of readers in any number of processes. Reads acquire, writes release.
 */
public final class SlotTable implements Closeable {
    /** Slots in a bucket: one cache line pair. */
    static final int BUCKET_SLOTS = 8;

    /** 16 bytes a slot in one mapping of less than 2 GB. */
    public static final int MAX_SLOTS = 1 << 26;

    static final int HEADER_BYTES = 4096;
    private static final long MAGIC = 0x5465_7272_6163_6531L; // "Terrace1"
    private static final int VERSION = 1;
    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 8;
    private static final int SLOTS_AT = 12;
    private static final int INCARNATION_AT = 16;
    private static final int HASH_KEY_AT = 24;
    private static final int HEARTBEAT_AT = 32;
    private static final int SLOT_BYTES = 16;
    private static final int WRITE_PIECE_BYTES = 64 * 1024;

    private static final int FREE = 0;
    private static final int CLAIMED = 1;
    private static final int LIVE = 2;
    private static final int RETIRING = 3;
    private static final long STATE_MASK = 0xff;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final Path path;
    private final ByteBuffer table;
    private final boolean owner;
    private final int bucketMask;
    private final long hashKey;
    private final long incarnation;

    private SlotTable(Path path, ByteBuffer table, boolean owner) {
        this.path = path;
        this.table = table;
        this.owner = owner;
        this.bucketMask = table.getInt(SLOTS_AT) / BUCKET_SLOTS - 1;
        this.hashKey = table.getLong(HASH_KEY_AT);
        this.incarnation = table.getLong(INCARNATION_AT);
    }

    /**
     * Makes a new table, all slots free, readable by everybody.
     *
     * @param path must not exist
     * @param slots at least this many; rounded up to a power of two
     * @param random where the incarnation and the fingerprints' key come from
     * @throws IOException also when the file system has no room for it
     */
    public static SlotTable create(Path path, int slots, Random random) throws IOException {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots must be 1 to " + MAX_SLOTS + ": " + slots);
        }
        int rounded = Math.max(2 * BUCKET_SLOTS, ceilingPowerOfTwo(slots));
        long lengthBytes = HEADER_BYTES + (long) rounded * SLOT_BYTES;
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        // The umask of the process may have cleared the bit for others.
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            fillWithZeros(file, lengthBytes);
            MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
            mapped.order(ByteOrder.LITTLE_ENDIAN);
            mapped.putInt(VERSION_AT, VERSION);
            mapped.putInt(SLOTS_AT, rounded);
            mapped.putLong(INCARNATION_AT, random.nextLong());
            mapped.putLong(HASH_KEY_AT, random.nextLong());
            LONG.setRelease(mapped, MAGIC_AT, MAGIC);
            return new SlotTable(path, mapped, true);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /**
     * Maps the table of a DataNode for reading.
     *
     * @throws IOException when there is none, or when it is none of ours
     */
    public static SlotTable open(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            long lengthBytes = file.size();
            if (lengthBytes < HEADER_BYTES || lengthBytes > HEADER_BYTES + (long) MAX_SLOTS * SLOT_BYTES) {
                throw new IOException(path + " is no slot table: " + lengthBytes + " bytes");
            }
            MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, lengthBytes);
            mapped.order(ByteOrder.LITTLE_ENDIAN);
            if ((long) LONG.getAcquire(mapped, MAGIC_AT) != MAGIC || mapped.getInt(VERSION_AT) != VERSION) {
                throw new IOException(path + " is no slot table of version " + VERSION);
            }
            int slots = mapped.getInt(SLOTS_AT);
            if (slots < 2 * BUCKET_SLOTS
                    || Integer.bitCount(slots) != 1
                    || lengthBytes != HEADER_BYTES + (long) slots * SLOT_BYTES) {
                throw new IOException(path + " is damaged: " + slots + " slots in " + lengthBytes + " bytes");
            }
            return new SlotTable(path, mapped, false);
        }
    }

    public Path path() {
        return path;
    }

    public int slots() {
        return (bucketMask + 1) * BUCKET_SLOTS;
    }

    /** Differs with every process that ever owned a table at this place. */
    public long incarnation() {
        return incarnation;
    }

    /** What {@link #fingerprint} needs to know which blocks {@link #liveFingerprints} speaks of. */
    public long fingerprintKey() {
        return hashKey;
    }

    /** The fingerprints of all live slots, for hosts that cannot map the table; in no order. */
    public long[] liveFingerprints() {
        long[] live = new long[16];
        int count = 0;
        for (int slot = 0; slot < slots(); slot++) {
            if (((long) LONG.getAcquire(table, at(slot)) & STATE_MASK) == LIVE) {
                if (count == live.length) {
                    live = Arrays.copyOf(live, 2 * count);
                }
                live[count++] = (long) LONG.getAcquire(table, at(slot) + Long.BYTES);
            }
        }
        return Arrays.copyOf(live, count);
    }

    /** What stands for a block in the table that has this key. */
    public static long fingerprint(long key, BlockKey block) {
        return fingerprint(key, block.pool(), block.blockId(), block.generationStamp());
    }

    /** The same of what names the block, for whoever asks before each read. */
    public static long fingerprint(long key, String pool, long blockId, long generationStamp) {
        long hash = mix(key ^ pool.hashCode());
        hash = mix(hash ^ blockId);
        hash = mix(hash ^ generationStamp);
        return hash;
    }

    /** The slot of the block's live extent, or -1 when there is none. Tens of nanoseconds, no allocation. */
    public int lookup(BlockKey block) {
        return lookup(block.pool(), block.blockId(), block.generationStamp());
    }

    /** The same of what names the block. */
    public int lookup(String pool, long blockId, long generationStamp) {
        long fingerprint = fingerprint(hashKey, pool, blockId, generationStamp);
        int slot = liveIn(firstBucket(fingerprint), fingerprint);
        return slot >= 0 ? slot : liveIn(secondBucket(fingerprint), fingerprint);
    }

    /** Whether the extent that was published with this sequence may be read: nobody asked for it back. */
    public boolean isLive(int slot, long sequence) {
        return (long) LONG.getAcquire(table, at(slot)) == (sequence << 8 | LIVE);
    }

    /** Whether the bytes of the extent are still whole: live, or retiring with readers in progress. */
    public boolean isReadable(int slot, long sequence) {
        long word = (long) LONG.getAcquire(table, at(slot));
        return word == (sequence << 8 | LIVE) || word == (sequence << 8 | RETIRING);
    }

    /** The slot's present sequence. */
    public long sequence(int slot) {
        return (long) LONG.getAcquire(table, at(slot)) >>> 8;
    }

    /**
     * Takes a free slot for the block; nobody sees it before {@link #publish}.
     *
     * @return the slot, or -1 when both buckets are full
     */
    public synchronized int claim(BlockKey block) {
        requireOwner();
        long fingerprint = fingerprint(block);
        int first = firstBucket(fingerprint);
        int second = secondBucket(fingerprint);
        int bucket = freeIn(first) >= freeIn(second) ? first : second;
        for (int slot = bucket; slot < bucket + BUCKET_SLOTS; slot++) {
            long word = table.getLong(at(slot));
            if ((word & STATE_MASK) == FREE) {
                LONG.setRelease(table, at(slot) + Long.BYTES, fingerprint);
                LONG.setRelease(table, at(slot), (word & ~STATE_MASK) | CLAIMED);
                return slot;
            }
        }
        return -1;
    }

    /** Makes a claimed slot live; its extent's bytes are whole from now on. Returns its sequence. */
    public synchronized long publish(int slot) {
        return step(slot, CLAIMED, LIVE);
    }

    /** No new grants and no new reads; the bytes stay whole until {@link #free}. */
    public synchronized void retire(int slot) {
        step(slot, LIVE, RETIRING);
    }

    /** Gives a claimed or retiring slot back; every descriptor that names it is void from now on. */
    public synchronized void free(int slot) {
        requireOwner();
        long word = table.getLong(at(slot));
        int state = (int) (word & STATE_MASK);
        if (state != CLAIMED && state != RETIRING) {
            throw new IllegalStateException("slot " + slot + " is in state " + state + ", not claimed or retiring");
        }
        LONG.setRelease(table, at(slot), ((word >>> 8) + 1) << 8 | FREE);
    }

    /** Says that the owner is alive; any value that changes, at least once a second. */
    public void beat(long value) {
        requireOwner();
        LONG.setRelease(table, HEARTBEAT_AT, value);
    }

    /** The owner's last {@link #beat}. */
    public long heartbeat() {
        return (long) LONG.getAcquire(table, HEARTBEAT_AT);
    }

    /** As the owner: takes the file away. The mapping itself goes with the garbage collector. */
    @Override
    public void close() throws IOException {
        if (owner) {
            Files.deleteIfExists(path);
        }
    }

    private int liveIn(int bucket, long fingerprint) {
        for (int slot = bucket; slot < bucket + BUCKET_SLOTS; slot++) {
            if ((long) LONG.getAcquire(table, at(slot) + Long.BYTES) == fingerprint
                    && ((long) LONG.getAcquire(table, at(slot)) & STATE_MASK) == LIVE) {
                return slot;
            }
        }
        return -1;
    }

    private int freeIn(int bucket) {
        int free = 0;
        for (int slot = bucket; slot < bucket + BUCKET_SLOTS; slot++) {
            free += (table.getLong(at(slot)) & STATE_MASK) == FREE ? 1 : 0;
        }
        return free;
    }

    private long step(int slot, int from, int to) {
        requireOwner();
        long word = table.getLong(at(slot));
        if ((word & STATE_MASK) != from) {
            throw new IllegalStateException("slot " + slot + " is in state " + (word & STATE_MASK) + ", not " + from);
        }
        LONG.setRelease(table, at(slot), (word & ~STATE_MASK) | to);
        return word >>> 8;
    }

    private void requireOwner() {
        if (!owner) {
            throw new IllegalStateException(path + " is another process's table");
        }
    }

    private int at(int slot) {
        // The mask keeps a slot number from a damaged message inside the table.
        return HEADER_BYTES + (slot & (slots() - 1)) * SLOT_BYTES;
    }

    private int firstBucket(long fingerprint) {
        return ((int) fingerprint & bucketMask) * BUCKET_SLOTS;
    }

    private int secondBucket(long fingerprint) {
        int first = (int) fingerprint & bucketMask;
        int second = (int) (fingerprint >>> 32) & bucketMask;
        return (second == first ? first ^ 1 : second) * BUCKET_SLOTS;
    }

    private long fingerprint(BlockKey block) {
        return fingerprint(hashKey, block);
    }

    /** Stafford's variant 13 of the MurmurHash3 finalizer, as in SplittableRandom. */
    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        y = (y ^ (y >>> 27)) * 0x94d049bb133111ebL;
        return y ^ (y >>> 31);
    }

    private static int ceilingPowerOfTwo(int value) {
        return value == 1 ? 1 : Integer.highestOneBit(value - 1) << 1;
    }

    private static void fillWithZeros(FileChannel file, long lengthBytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(WRITE_PIECE_BYTES);
        long written = 0;
        while (written < lengthBytes) {
            zeros.clear().limit((int) Math.min(WRITE_PIECE_BYTES, lengthBytes - written));
            written += file.write(zeros);
        }
    }
}
