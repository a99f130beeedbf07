package io.terrace.placement.journal;

import io.terrace.placement.state.StateListener.Note;

/**
 * A note as the journal has it.
 *
 * @param untilMs milliseconds since 1970
 */
record NoteRecord(String key, long untilMs, String text) implements JournalEntry {

    private static final int OBJECTS = 160;

    /** @param toWallMs to be added to the times of the engine */
    static NoteRecord of(Note note, long toWallMs) {
        return new NoteRecord(note.key(), note.isForgotten() ? 0 : note.untilMs() + toWallMs, note.text());
    }

    Note note(long toWallMs) {
        return new Note(key, untilMs - toWallMs, text);
    }

    boolean isForgotten() {
        return text.isEmpty();
    }

    @Override
    public int heapBytes() {
        return OBJECTS + key.length() + text.length();
    }
}
