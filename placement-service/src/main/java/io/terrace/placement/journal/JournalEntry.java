package io.terrace.placement.journal;

/** What the journal keeps. */
sealed interface JournalEntry permits HeatRecord, MoveRecord {

    /** About so many bytes of heap while it waits. */
    int heapBytes();
}
