package io.terrace.placementctl.simulate;

import io.terrace.placement.accesslog.PlaceComment;
import io.terrace.placementctl.cluster.ClusterReads;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Where readers, DataNodes and replicas were, as the {@link PlaceComment}s of a log of accesses say. */
public final class LoggedPlaces implements ClusterReads, PlaceComment.Reader {

    /** Of hosts and DataNodes, 0 in the log. */
    private static final int NOT_SAID = -1;

    private final Long2IntLinkedOpenHashMap hosts = new Long2IntLinkedOpenHashMap();
    private final Long2IntLinkedOpenHashMap nodes = new Long2IntLinkedOpenHashMap();
    private final IntArrayList hostsOfNodes = new IntArrayList();
    private final LongArrayList memoryOfNodes = new LongArrayList();
    private final Map<Long, long[]> held = new HashMap<>();
    private final IntArrayList hostOfRows = new IntArrayList();
    private final IntArrayList nodeOfRows = new IntArrayList();
    private int host = NOT_SAID;
    private int node = NOT_SAID;
    private long readsPlaced;

    LoggedPlaces() {
        hosts.defaultReturnValue(NOT_SAID);
        nodes.defaultReturnValue(NOT_SAID);
    }

    /** Another file of the log begins. */
    void begin() {
        host = NOT_SAID;
        node = NOT_SAID;
    }

    /** A row follows that counts. */
    void row(boolean write) {
        hostOfRows.add(host);
        nodeOfRows.add(node);
        readsPlaced += !write && host != NOT_SAID ? 1 : 0;
    }

    @Override
    public void node(long number, long itsHost, long memoryBytes) {
        if (number != 0) {
            int at = nodeAt(number);
            hostsOfNodes.set(at, hostAt(itsHost));
            memoryOfNodes.set(at, memoryBytes);
        }
    }

    @Override
    public void host(long number, String address) {
        // A simulation needs no names.
    }

    @Override
    public void held(long block, long[] holders) {
        held.put(block, holders);
    }

    @Override
    public void by(long itsHost, long itsNode) {
        host = hostAt(itsHost);
        node = itsNode == 0 ? NOT_SAID : nodeAt(itsNode);
    }

    private int hostAt(long number) {
        return number == 0 ? NOT_SAID : at(hosts, number);
    }

    private int nodeAt(long number) {
        int at = at(nodes, number);
        if (at == hostsOfNodes.size()) {
            hostsOfNodes.add(NOT_SAID);
            memoryOfNodes.add(0);
        }
        return at;
    }

    private static int at(Long2IntLinkedOpenHashMap numbers, long number) {
        int known = numbers.get(number);
        if (known == NOT_SAID) {
            known = numbers.size();
            numbers.put(number, known);
        }
        return known;
    }

    @Override
    public int host(int row) {
        return hostOfRows.getInt(row);
    }

    @Override
    public int hostOf(int itsNode) {
        int of = hostsOfNodes.getInt(itsNode);
        // A reader whose host is not known is not on that of a DataNode whose host is not known.
        return of == NOT_SAID ? Integer.MAX_VALUE - itsNode : of;
    }

    @Override
    public int servedBy(int row) {
        return nodeOfRows.getInt(row);
    }

    /** Memory of each DataNode, as the log said last. */
    long[] memoryBytes() {
        return memoryOfNodes.toLongArray();
    }

    /** DataNodes that the log names. */
    public int dataNodes() {
        return nodes.size();
    }

    /** Reads of which it is known on which host the reader was. */
    public long readsPlaced() {
        return readsPlaced;
    }

    /** The DataNodes that held a block; none where the log does not say. */
    int[] holders(long block) {
        long[] numbers = held.get(block);
        if (numbers == null) {
            return new int[0];
        }
        int[] holders = new int[numbers.length];
        int known = 0;
        for (long number : numbers) {
            int at = nodes.get(number);
            if (at != NOT_SAID) {
                holders[known++] = at;
            }
        }
        return Arrays.copyOf(holders, known);
    }
}
