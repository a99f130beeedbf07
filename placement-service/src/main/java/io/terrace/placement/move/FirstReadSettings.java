package io.terrace.placement.move;

/**
 * Whether blocks are copied into memory before their first read, where it is learned that it comes soon, and ahead of readers.
 *
 * @param vainShare of all bytes copied into memory, those copied so and not read in time; 0 for no such copies
 * @param atFirstBytes that may be in vain before the share is looked at
 * @param withinMs from the write to the first read
 * @param blocksAhead so many blocks ahead of a reader are copied at most; 0 for none
 */
public record FirstReadSettings(double vainShare, long atFirstBytes, long withinMs, int blocksAhead) {

    /** No such copies. */
    public static final FirstReadSettings OFF = new FirstReadSettings(0, 0, 1, 0);

    public boolean isOn() {
        return vainShare > 0;
    }
}
