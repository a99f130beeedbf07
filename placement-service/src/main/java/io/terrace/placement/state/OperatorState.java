package io.terrace.placement.state;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What an operator asked for and what stays so until it is taken back: through restarts and failovers, because it is
 * kept in the namespace itself (an extended attribute of the root directory, see
 * {@code OperatorStateStore}).
 *
 * @param serve false after {@code placementctl off}
 * @param moves false after {@code placementctl pause}
 * @param pins inode ids of pinned files, at most {@value #MOST_PINS}
 */
public record OperatorState(boolean serve, boolean moves, SortedSet<Long> pins) {

    /** So many pins fit an extended attribute of HDFS's default size with room to spare. */
    public static final int MOST_PINS = 1000;

    private static final String VERSION = "1";

    public OperatorState {
        if (pins.size() > MOST_PINS) {
            throw new IllegalArgumentException("at most " + MOST_PINS + " files can be pinned, not " + pins.size());
        }
        pins = Collections.unmodifiableSortedSet(new TreeSet<>(pins));
    }

    /** Everything on, nothing pinned. */
    public static OperatorState initial() {
        return new OperatorState(true, true, new TreeSet<>());
    }

    /** Everything off, as long as nobody knows better. */
    public static OperatorState off() {
        return new OperatorState(false, false, new TreeSet<>());
    }

    public OperatorState withServe(boolean on) {
        return new OperatorState(on, moves, pins);
    }

    public OperatorState withMoves(boolean on) {
        return new OperatorState(serve, on, pins);
    }

    public OperatorState withPin(long inode, boolean pinned) {
        TreeSet<Long> changed = new TreeSet<>(pins);
        if (pinned) {
            changed.add(inode);
        } else {
            changed.remove(inode);
        }
        return new OperatorState(serve, moves, changed);
    }

    /** Whether blocks may be moved: neither paused nor off. */
    public boolean mayMove() {
        return moves && serve;
    }

    /** These pins are taken back. */
    public OperatorState withoutPins(Collection<Long> inodes) {
        TreeSet<Long> changed = new TreeSet<>(pins);
        changed.removeAll(inodes);
        return new OperatorState(serve, moves, changed);
    }

    /** As text, e.g. {@code 1 serve=true moves=false pins=16390,16401}, in UTF-8. */
    public byte[] encoded() {
        StringBuilder text = new StringBuilder(VERSION + " serve=" + serve + " moves=" + moves + " pins=");
        String separator = "";
        for (long inode : pins) {
            text.append(separator).append(inode);
            separator = ",";
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException when it was not written by {@link #encoded} */
    public static OperatorState decoded(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String[] words = text.split(" ", -1);
        if (words.length != 4
                || !words[0].equals(VERSION)
                || !words[1].startsWith("serve=")
                || !words[2].startsWith("moves=")
                || !words[3].startsWith("pins=")) {
            throw new IllegalArgumentException("this is no operator state of version " + VERSION + ": " + text);
        }
        TreeSet<Long> pins = new TreeSet<>();
        for (String inode : words[3].substring("pins=".length()).split(",")) {
            if (!inode.isEmpty()) {
                pins.add(Long.parseLong(inode));
            }
        }
        return new OperatorState(words[1].equals("serve=true"), words[2].equals("moves=true"), pins);
    }
}
