package io.terrace.placement.journal;

import io.terrace.placement.journal.JournalStore.HeatCursor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Goes through the heat in a {@link RocksStore}, without an object for each block. For one thread. */
final class RocksCursor implements HeatCursor {
    private final RocksIterator all;
    private final Path dir;
    private final ByteBuffer key = ByteBuffer.allocateDirect(8);
    private final ByteBuffer value = ByteBuffer.allocateDirect(1024);
    private boolean begun;
    private long lastMs;
    private float sum;

    RocksCursor(RocksIterator all, Path dir) {
        this.all = all;
        this.dir = dir;
    }

    @Override
    public boolean next() throws JournalException {
        if (begun) {
            all.next();
        } else {
            all.seekToFirst();
            begun = true;
        }
        try {
            if (!all.isValid()) {
                all.status();
                return false;
            }
            all.key(key.clear());
            all.value(value.clear());
            JournalCodec.skipToLast(value);
            lastMs = JournalCodec.number(value);
            sum = JournalCodec.sumOfShares(value);
            return true;
        } catch (RocksDBException e) {
            throw RocksFailure.of(dir, e);
        } catch (RuntimeException e) {
            throw JournalCodec.unreadable(e);
        }
    }

    @Override
    public long blockId() {
        return key.getLong(0);
    }

    @Override
    public long lastMs() {
        return lastMs;
    }

    @Override
    public float heat() {
        return sum;
    }

    @Override
    public void close() {
        all.close();
    }
}
