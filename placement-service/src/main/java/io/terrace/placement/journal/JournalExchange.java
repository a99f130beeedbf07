package io.terrace.placement.journal;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What the engine's thread and the journal's thread pass each other. Each queue is bounded, that of entries in bytes too.
 * Nothing waits: what does not fit is refused, and counted here.
 */
final class JournalExchange {

    static final int MOST_ENTRIES = 32_768;
    static final long MOST_BYTES = 8 << 20;
    static final int MOST_QUESTIONS = 16_384;
    static final int MOST_FOUND = 16_384;

    private static final long QUESTION_BYTES = 24;

    private final MetricRegistry metricRegistry;
    private final BlockingQueue<JournalEntry> entries = new ArrayBlockingQueue<>(MOST_ENTRIES);
    private final BlockingQueue<Long> questions = new ArrayBlockingQueue<>(MOST_QUESTIONS);
    private final BlockingQueue<Found> found = new ArrayBlockingQueue<>(MOST_FOUND);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean loadWanted = new AtomicBoolean();
    private final AtomicReference<List<NoteRecord>> notes = new AtomicReference<>(List.of());
    private volatile boolean open;

    /**
     * Heat that the journal had.
     *
     * @param asked whether the engine asked for this very block
     */
    record Found(HeatRecord heat, boolean asked) {}

    JournalExchange(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
    }

    /** Whether there is a journal now; without one nothing is taken, nor counted as lost. */
    void open(boolean is) {
        open = is;
    }

    boolean isOpen() {
        return open;
    }

    /** Whether there is room for it; {@link #add} then takes it. */
    boolean hasRoom() {
        return open && entries.size() < MOST_ENTRIES && bytes.get() < MOST_BYTES;
    }

    void add(JournalEntry entry) {
        if (!open) {
            return;
        }
        if (bytes.get() >= MOST_BYTES || !entries.offer(entry)) {
            metricRegistry.increment(
                    entry instanceof HeatRecord
                            ? Metric.PLACEMENT_JOURNAL_HEAT_LOST
                            : Metric.PLACEMENT_JOURNAL_MOVES_LOST);
            return;
        }
        bytes.addAndGet(entry.heapBytes());
    }

    void ask(long blockId) {
        if (open && !questions.offer(blockId)) {
            metricRegistry.increment(Metric.PLACEMENT_JOURNAL_HEAT_LOST);
        }
    }

    /** The hottest blocks are to be found. */
    void wantLoad() {
        loadWanted.set(true);
    }

    boolean takeLoad() {
        return loadWanted.getAndSet(false);
    }

    /** Hands over all notes, once. */
    void notes(List<NoteRecord> all) {
        notes.set(all);
    }

    List<NoteRecord> takeNotes() {
        return notes.getAndSet(List.of());
    }

    /** What was found next; null when there is nothing. */
    @Nullable
    Found takeFound() {
        return found.poll();
    }

    boolean hasRoomForFound() {
        return found.size() < MOST_FOUND / 2;
    }

    /** Hands over heat that was asked for, or loaded; says whether there was room. */
    boolean found(Found heat) {
        return found.offer(heat);
    }

    int take(List<JournalEntry> into, int most) {
        int taken = entries.drainTo(into, most);
        long freed = 0;
        for (int i = into.size() - taken; i < into.size(); i++) {
            freed += into.get(i).heapBytes();
        }
        bytes.addAndGet(-freed);
        return taken;
    }

    @Nullable
    Long takeQuestion() {
        return questions.poll();
    }

    /** About so many bytes of heap wait, questions included. */
    long waitingBytes() {
        return bytes.get() + questions.size() * QUESTION_BYTES;
    }
}
