package io.terrace.placement.accesslog;

import io.terrace.policy.replay.TraceFormat;
import java.util.Arrays;

/**
 * Where readers and replicas were, in comments between the rows of a log of accesses. Whoever reads the rows alone passes over
 * them. Numbers stand for hosts and DataNodes; 0 is one that is not known.
 *
 * <ul>
 *   <li>{@code #node,<node>,<host>,<bytes>}: a DataNode, its host and its memory; a later line of the same node is right.
 *   <li>{@code #host,<host>,<address>}: the address of a host, where an operator wants it.
 *   <li>{@code #held,<block>,<node>...}: the DataNodes that hold a block.
 *   <li>{@code #by,<host>,<node>}: whose the rows are that follow: read on this host, served by this DataNode.
 * </ul>
 */
public final class PlaceComment {

    private static final String NODE = TraceFormat.COMMENT + "node";
    private static final String HOST = TraceFormat.COMMENT + "host";
    private static final String HELD = TraceFormat.COMMENT + "held";
    private static final String BY = TraceFormat.COMMENT + "by";

    private PlaceComment() {}

    /** Told of the comments of a log. */
    public interface Reader {
        void node(long node, long host, long memoryBytes);

        void host(long host, String address);

        void held(long block, long[] nodes);

        void by(long host, long node);
    }

    static void node(StringBuilder to, long node, long host, long memoryBytes) {
        to.append(NODE)
                .append(',')
                .append(node)
                .append(',')
                .append(host)
                .append(',')
                .append(memoryBytes);
        to.append('\n');
    }

    static void host(StringBuilder to, long host, String address) {
        to.append(HOST).append(',').append(host).append(',');
        for (int i = 0; i < address.length(); i++) {
            // It comes from a DataNode, which may say anything.
            char letter = address.charAt(i);
            to.append(letter < ' ' || letter == ',' ? '?' : letter);
        }
        to.append('\n');
    }

    static void held(StringBuilder to, long block, long[] nodes) {
        to.append(HELD).append(',').append(block);
        for (long node : nodes) {
            to.append(',').append(node);
        }
        to.append('\n');
    }

    static void by(StringBuilder to, long host, long node) {
        to.append(BY).append(',').append(host).append(',').append(node).append('\n');
    }

    /** Reads a line; answers whether it is a comment of these kinds, and whole. */
    public static boolean parse(String line, Reader reader) {
        String[] cells = line.split(",", -1);
        try {
            if (cells[0].equals(NODE) && cells.length == 4) {
                reader.node(number(cells[1]), number(cells[2]), number(cells[3]));
            } else if (cells[0].equals(HOST) && cells.length == 3) {
                reader.host(number(cells[1]), cells[2]);
            } else if (cells[0].equals(HELD) && cells.length > 2) {
                reader.held(
                        Long.parseLong(cells[1]),
                        Arrays.stream(cells, 2, cells.length)
                                .mapToLong(PlaceComment::number)
                                .toArray());
            } else if (cells[0].equals(BY) && cells.length == 3) {
                reader.by(number(cells[1]), number(cells[2]));
            } else {
                return false;
            }
            return true;
        } catch (NumberFormatException e) {
            // Cut off, or damaged.
            return false;
        }
    }

    private static long number(String cell) {
        long number = Long.parseLong(cell);
        if (number < 0) {
            throw new NumberFormatException(cell);
        }
        return number;
    }
}
