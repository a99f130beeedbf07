package io.terrace.placement.journal;

/** What the journal keeps. */
sealed interface JournalEntry permits HeatRecord, MoveRecord, NoteRecord {

    /** About so many bytes of heap while it waits. */
    int heapBytes();
}
