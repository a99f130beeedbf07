package io.terrace.placement.journal;

import io.terrace.placement.journal.JournalExchange.Found;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HeatMap;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.StateListener;
import io.terrace.placement.state.StateListener.Note;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's side of the {@link JournalExchange}. Passes on moves that ended and heat: that of a block that leaves the heap,
 * and now and then ({@value #PASS_MS} ms in a NameNode) that of each block that was read since, a part of the blocks in each turn. Takes the heat of
 * the hottest blocks at the beginning, and that of a block that is read again after it left the heap. Of notes, at most
 * {@value #MOST_NOTES}, the oldest make room.
 *
 * <p>It never waits. Owned by the engine's thread.
 */
public final class EngineJournal implements StateListener {

    static final long PASS_MS = 60_000;
    /** Blocks whose heat is loaded at the beginning; a policy that comes into force learns no more. */
    static final int MOST_LOADED = 50_000;

    static final int MOST_NOTES = 10_000;

    private static final int TURNS_PER_PASS = 120;
    private static final int LEAST_PER_TURN = 512;

    private final @Nullable JournalExchange exchange;
    private final LongSupplier wallMs;
    private final long passMs;
    private final RestoredHeat restored = new RestoredHeat(MOST_LOADED);
    /** By key, the oldest first. */
    private final Map<String, NoteRecord> notes = new LinkedHashMap<>();

    private boolean notesDue;
    private long toWallMs;
    private long epoch;
    /** Only blocks that were read later are to be kept; the others were, by the pass before. */
    private long sinceMs;

    private long passBeganMs;
    private boolean begun;
    private long[] ids = {};
    private int next;

    /**
     * @param wallMs milliseconds since 1970
     * @param passMs between two passes over the heat
     */
    EngineJournal(@Nullable JournalExchange exchange, LongSupplier wallMs, long passMs) {
        this.exchange = exchange;
        this.wallMs = wallMs;
        this.passMs = passMs;
    }

    /** One that keeps nothing. */
    public static EngineJournal none() {
        return new EngineJournal(null, () -> 0, PASS_MS);
    }

    /** The heat of the hottest blocks is to come. */
    public void load() {
        if (exchange != null) {
            exchange.wantLoad();
        }
    }

    /** Moves are of this epoch from now on. */
    public void begins(long newEpoch) {
        epoch = newEpoch;
        notesDue = true;
    }

    /**
     * Does a part of what is to do.
     *
     * @param learned told of each block whose heat became known again
     * @param remembered told of notes from before the restart, and in each epoch of all that are of use
     */
    public void turn(long nowMs, ClusterState state, Consumer<BlockHeat> learned, Consumer<Note> remembered) {
        if (exchange == null) {
            return;
        }
        toWallMs = wallMs.getAsLong() - nowMs;
        if (!begun) {
            begun = true;
            sinceMs = nowMs;
            passBeganMs = nowMs;
        }
        pass(nowMs, state.heat());
        while (restored.hasRoom()) {
            Found found = exchange.takeFound();
            if (found == null) {
                break;
            }
            restored.add(nowMs, found.heat(), Math.min(nowMs, found.heat().lastMs() - toWallMs), found.asked());
        }
        restored.turn(nowMs, state, learned);
        remember(nowMs, remembered);
    }

    private void remember(long nowMs, Consumer<Note> remembered) {
        JournalExchange from = exchange;
        List<NoteRecord> loaded = from == null ? List.of() : from.takeNotes();
        for (NoteRecord note : loaded) {
            if (notes.size() < MOST_NOTES && note.untilMs() > nowMs + toWallMs) {
                notesDue |= notes.putIfAbsent(note.key(), note) == null;
            } else if (!notes.containsKey(note.key())) {
                add(new NoteRecord(note.key(), 0, ""));
            }
        }
        if (notesDue) {
            notesDue = false;
            for (NoteRecord note : List.copyOf(notes.values())) {
                if (note.untilMs() > nowMs + toWallMs) {
                    remembered.accept(note.note(toWallMs));
                }
            }
        }
    }

    private void add(NoteRecord note) {
        if (exchange != null) {
            exchange.add(note);
        }
    }

    @Override
    public void noted(Note note) {
        if (exchange == null) {
            return;
        }
        NoteRecord record = NoteRecord.of(note, toWallMs);
        NoteRecord before = notes.remove(note.key());
        if (!record.isForgotten()) {
            notes.put(record.key(), record);
        } else if (before == null) {
            return;
        }
        add(record);
        if (notes.size() > MOST_NOTES) {
            String oldest = notes.keySet().iterator().next();
            notes.remove(oldest);
            add(new NoteRecord(oldest, 0, ""));
        }
    }

    private void pass(long nowMs, HeatMap heat) {
        JournalExchange to = exchange;
        if (to == null) {
            return;
        }
        if (next == ids.length && nowMs - passBeganMs >= passMs) {
            sinceMs = passBeganMs;
            passBeganMs = nowMs;
            ids = heat.ids();
            next = 0;
        }
        int end = Math.min(ids.length, next + Math.max(LEAST_PER_TURN, ids.length / TURNS_PER_PASS));
        // Without room the pass takes longer.
        for (; next < end && to.hasRoom(); next++) {
            BlockHeat known = heat.peek(ids[next]);
            if (known != null) {
                keep(known);
            }
        }
        if (!to.isOpen()) {
            next = ids.length;
        }
        if (next == ids.length) {
            ids = new long[0];
            next = 0;
        }
    }

    private void keep(BlockHeat heat) {
        if (exchange != null && heat.reads() > 0 && heat.lastMs() >= sinceMs) {
            exchange.add(HeatRecord.of(heat, heat.lastMs() + toWallMs));
        }
    }

    @Override
    public void left(BlockHeat heat) {
        keep(heat);
    }

    @Override
    public void missed(long blockId) {
        if (exchange != null) {
            exchange.ask(blockId);
        }
    }

    @Override
    public void ended(DataNodeState node, Move move) {
        if (exchange != null) {
            exchange.add(MoveRecord.of(epoch, move, node.name(), toWallMs));
        }
    }

    /** Blocks whose heat waits for DataNodes to report. */
    public int waiting() {
        return restored.size();
    }
}
