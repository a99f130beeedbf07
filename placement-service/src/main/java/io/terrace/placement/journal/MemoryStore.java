package io.terrace.placement.journal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A journal in memory, for simulations and tests: the same bytes in maps. For one thread. */
final class MemoryStore implements JournalStore {

    private final NodeNumbers nodes = new NodeNumbers();
    private final JournalCodec codec = new JournalCodec(nodes);
    private final Map<Long, byte[]> heat = new TreeMap<>();
    private final List<MoveRecord> moves = new ArrayList<>();
    private final Map<String, byte[]> notes = new TreeMap<>();

    @Override
    public void write(List<JournalEntry> entries) throws JournalException {
        for (JournalEntry entry : entries) {
            if (entry instanceof HeatRecord record) {
                heat.put(record.block().id(), codec.value(record));
            } else if (entry instanceof MoveRecord record) {
                moves.add(JournalCodec.move(JournalCodec.moveKey(record), codec.value(record)));
            } else if (entry instanceof NoteRecord record && record.isForgotten()) {
                notes.remove(record.key());
            } else if (entry instanceof NoteRecord record) {
                notes.put(record.key(), codec.value(record));
            }
        }
    }

    @Override
    public List<NoteRecord> notes() throws JournalException {
        List<NoteRecord> all = new ArrayList<>();
        for (Map.Entry<String, byte[]> note : notes.entrySet()) {
            all.add(JournalCodec.note(note.getKey(), note.getValue()));
        }
        return all;
    }

    @Override
    public @Nullable HeatRecord heat(long blockId) throws JournalException {
        byte[] value = heat.get(blockId);
        return value == null ? null : JournalCodec.heat(blockId, value, nodes);
    }

    @Override
    public List<MoveRecord> moves(long blockId, int most) {
        return moves.stream()
                .filter(move -> move.block().id() == blockId)
                .sorted(Comparator.comparingLong(MoveRecord::endedMs).reversed())
                .limit(most)
                .toList();
    }

    @Override
    public HeatCursor cursor() throws JournalException {
        List<HeatRecord> all = new ArrayList<>();
        for (Map.Entry<Long, byte[]> entry : heat.entrySet()) {
            all.add(JournalCodec.heat(entry.getKey(), entry.getValue(), nodes));
        }
        Iterator<HeatRecord> each = all.iterator();
        return new HeatCursor() {
            private @Nullable HeatRecord at;

            @Override
            public boolean next() {
                at = each.hasNext() ? each.next() : null;
                return at != null;
            }

            @Override
            public long blockId() {
                return at == null ? -1 : at.block().id();
            }

            @Override
            public long lastMs() {
                return at == null ? -1 : at.lastMs();
            }

            @Override
            public float heat() {
                return at == null ? 0 : at.heat();
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
        return heat.values().stream().mapToLong(value -> value.length).sum();
    }

    @Override
    public void checkRoom() {
        // It is on the heap.
    }

    @Override
    public void close() {
        // It is kept for the next one.
    }
}
