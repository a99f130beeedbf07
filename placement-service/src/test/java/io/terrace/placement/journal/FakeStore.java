package io.terrace.placement.journal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A store in memory that fails when it is told to. */
final class FakeStore implements JournalStore {

    final Map<Long, HeatRecord> heat = new TreeMap<>();
    final List<MoveRecord> moves = new ArrayList<>();
    int opened;
    int openedAnew;
    int bytesPerBlock;

    @Nullable
    JournalException failure;

    @Nullable
    RuntimeException bug;

    JournalStore open(boolean anew) throws JournalException {
        opened++;
        if (anew) {
            openedAnew++;
            heat.clear();
            moves.clear();
            failure = null;
        }
        fail();
        return this;
    }

    private void fail() throws JournalException {
        if (bug != null) {
            throw bug;
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void write(List<JournalEntry> entries) throws JournalException {
        fail();
        for (JournalEntry entry : entries) {
            if (entry instanceof HeatRecord record) {
                heat.put(record.block().id(), record);
            } else if (entry instanceof MoveRecord record) {
                moves.add(record);
            }
        }
    }

    @Override
    public List<NoteRecord> notes() throws JournalException {
        fail();
        return List.of();
    }

    @Override
    public @Nullable HeatRecord heat(long blockId) throws JournalException {
        fail();
        return heat.get(blockId);
    }

    @Override
    public List<MoveRecord> moves(long blockId, int most) {
        return moves.stream()
                .filter(move -> move.block().id() == blockId)
                .limit(most)
                .toList();
    }

    @Override
    public HeatCursor cursor() {
        Iterator<HeatRecord> all = List.copyOf(heat.values()).iterator();
        return new HeatCursor() {
            private HeatRecord record = Records.heat(0, 0, 0);

            @Override
            public boolean next() {
                boolean has = all.hasNext();
                record = has ? all.next() : record;
                return has;
            }

            @Override
            public long blockId() {
                return record.block().id();
            }

            @Override
            public long lastMs() {
                return record.lastMs();
            }

            @Override
            public float heat() {
                return record.heat();
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
    }

    @Override
    public void forget(long[] blockIds, int count) {
        for (int i = 0; i < count; i++) {
            heat.remove(blockIds[i]);
        }
    }

    @Override
    public void compact() {
        // Nothing is wasted.
    }

    @Override
    public long bytes() {
        return (long) heat.size() * bytesPerBlock;
    }

    @Override
    public void checkRoom() throws JournalException {
        fail();
    }

    @Override
    public void close() {
        // It is kept for the next one.
    }
}
