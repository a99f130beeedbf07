package io.terrace.placement.state;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asked for and what stays so until it is taken back: through restarts and failovers, because it is
 * kept in the namespace itself (an extended attribute of the root directory, see
 * {@code OperatorStateStore}).
 *
 * @param switchedOff who said {@code placementctl off}; null while Terrace is on
 * @param paused who said {@code placementctl pause}; null while moves go on
 * @param pins of files and directories, by inode id, at most {@value #MOST_PINS}
 */
public record OperatorState(@Nullable Order switchedOff, @Nullable Order paused, SortedMap<Long, Pin> pins) {

    /** So many pins without an end fit an extended attribute of HDFS's default size. */
    public static final int MOST_PINS = 1000;

    /**
     * Who gave an order and when.
     *
     * @param by short name of the user; empty when that is not known
     * @param sinceMs wall clock, milliseconds since 1970, in whole seconds; 0 when that is not known
     */
    public record Order(String by, long sinceMs) {

        static final int LONGEST_NAME = 64;

        /** Of somebody, at some time. */
        public static final Order UNKNOWN = new Order("", 0);

        public Order {
            by = by.substring(0, Math.min(LONGEST_NAME, by.length()));
            sinceMs = sinceMs / 1000 * 1000;
        }
    }

    /**
     * A pin.
     *
     * @param untilMs when it ends by itself, as {@code sinceMs}; 0 for never
     * @param recursive of a directory: all files below it are pinned
     */
    public record Pin(Order order, long untilMs, boolean recursive) {

        public Pin {
            untilMs = (untilMs + 999) / 1000 * 1000;
        }
    }

    public OperatorState {
        if (pins.size() > MOST_PINS) {
            throw new IllegalArgumentException("there can be at most " + MOST_PINS + " pins, not " + pins.size()
                    + "; pin the directory of many files instead (--recursive)");
        }
        pins = Collections.unmodifiableSortedMap(new TreeMap<>(pins));
    }

    /** Everything on, nothing pinned. */
    public static OperatorState initial() {
        return new OperatorState(null, null, new TreeMap<>());
    }

    /** Everything off, as long as nobody knows better. */
    public static OperatorState off() {
        return new OperatorState(Order.UNKNOWN, Order.UNKNOWN, new TreeMap<>());
    }

    /** False after {@code placementctl off}. */
    public boolean serve() {
        return switchedOff == null;
    }

    /** False after {@code placementctl pause}. */
    public boolean moves() {
        return paused == null;
    }

    /** Whether blocks may be moved: neither paused nor off. */
    public boolean mayMove() {
        return moves() && serve();
    }

    /** Off by this order, which does not change since when it is off; on where it is null. */
    public OperatorState withOff(@Nullable Order order) {
        return new OperatorState(order == null || switchedOff == null ? order : switchedOff, paused, pins);
    }

    /** Paused by this order, as {@link #withOff}. */
    public OperatorState withPaused(@Nullable Order order) {
        return new OperatorState(switchedOff, order == null || paused == null ? order : paused, pins);
    }

    public OperatorState withServe(boolean on) {
        return withOff(on ? null : Order.UNKNOWN);
    }

    public OperatorState withMoves(boolean on) {
        return withPaused(on ? null : Order.UNKNOWN);
    }

    /** With a pin of this file or directory, in place of what it had. */
    public OperatorState withPin(long inode, Pin pin) {
        TreeMap<Long, Pin> changed = new TreeMap<>(pins);
        changed.put(inode, pin);
        return new OperatorState(switchedOff, paused, changed);
    }

    /** With a pin of a file for ever, or without one. */
    public OperatorState withPin(long inode, boolean pinned) {
        return pinned
                ? withPin(inode, new Pin(Order.UNKNOWN, 0, false))
                : withoutPins(Collections.singletonList(inode));
    }

    /** These pins are taken back. */
    public OperatorState withoutPins(Collection<Long> inodes) {
        TreeMap<Long, Pin> changed = new TreeMap<>(pins);
        changed.keySet().removeAll(inodes);
        return new OperatorState(switchedOff, paused, changed);
    }

    /** As text in UTF-8: see {@link OperatorStateText}. */
    public byte[] encoded() {
        return OperatorStateText.encoded(this);
    }

    /** @throws IllegalArgumentException when it was not written by {@link #encoded}, of this or an earlier version */
    public static OperatorState decoded(byte[] bytes) {
        return OperatorStateText.decoded(bytes);
    }
}
