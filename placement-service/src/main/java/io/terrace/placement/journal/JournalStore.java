package io.terrace.placement.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of a journal are. {@link #moves} may be called by any thread, all else is for one. After
 * {@link #close} every call fails.
 */
interface JournalStore extends AutoCloseable {

    /** Keeps records, each in the place of the one before of its block or move. */
    void write(List<JournalEntry> entries) throws JournalException;

    /** All notes. */
    List<NoteRecord> notes() throws JournalException;

    /** The heat of a block; null if it is not known. */
    @Nullable
    HeatRecord heat(long blockId) throws JournalException;

    /** The latest moves of a block, latest first. */
    List<MoveRecord> moves(long blockId, int most) throws JournalException;

    /** All heat, in no order that means anything. */
    HeatCursor cursor() throws JournalException;

    /** Forgets the heat of blocks. */
    void forget(long[] blockIds, int count) throws JournalException;

    /** Gives the room of what was forgotten back. */
    void compact() throws JournalException;

    /** Bytes on disk. */
    long bytes() throws JournalException;

    /** Fails if there is too little room for what may come. */
    void checkRoom() throws JournalException;

    @Override
    void close();

    /** Opens a store, or fails as {@link JournalException} says. */
    @FunctionalInterface
    interface Opener {

        /** @param anew removes what is there first */
        JournalStore open(boolean anew) throws JournalException;
    }

    /** Goes through heat as it was when the cursor was made. */
    interface HeatCursor extends AutoCloseable {

        /** Whether there is a further block; the other methods tell of it. */
        boolean next() throws JournalException;

        long blockId();

        /** When it was last read, milliseconds since 1970. */
        long lastMs();

        /** Decayed reads as of {@link #lastMs}. */
        float heat();

        @Override
        void close();
    }
}
