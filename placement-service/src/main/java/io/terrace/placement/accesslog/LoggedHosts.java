package io.terrace.placement.accesslog;

import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Reader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the log of accesses says of hosts: numbers for readers and DataNodes, and, where an operator wants it, the addresses. The
 * loop's thread tells of heartbeats, the writer's thread writes.
 */
final class LoggedHosts {

    /** Stands for the host of the DataNode until the writer looks it up. */
    private static final long OWN = -1;

    private final HostNumbers hostNumbers;
    private final LoggedNodes nodes;
    private final boolean named;
    /** Hosts whose addresses the file has. */
    private final Set<Long> written = new HashSet<>();

    /** @param named whether addresses are written */
    LoggedHosts(HostNumbers hostNumbers, Function<String, @Nullable String> addresses, boolean named) {
        this.hostNumbers = hostNumbers;
        this.nodes = new LoggedNodes(hostNumbers, addresses);
        this.named = named;
    }

    long heard(long nowMs, Heartbeat heartbeat) {
        return nodes.heard(nowMs, heartbeat);
    }

    /** For {@link #by}. */
    long numberOf(Reader reader) {
        return reader.host().equals(Reader.THIS_HOST) ? OWN : hostNumbers.of(reader.host());
    }

    /** Another file begins. */
    void begin() {
        nodes.begin();
        written.clear();
    }

    /** DataNodes that the file does not have as they are. */
    void append(StringBuilder to, long nowMs) {
        for (LoggedNodes.Line line : nodes.changes(nowMs)) {
            name(to, line.host());
            PlaceComment.node(to, line.node(), line.host(), line.memoryBytes());
        }
    }

    void held(StringBuilder to, long block, List<String> uuids) {
        PlaceComment.held(to, block, uuids.stream().mapToLong(hostNumbers::of).toArray());
    }

    void by(StringBuilder to, long host, long node) {
        long number = host == OWN ? nodes.hostOf(node) : host;
        name(to, number);
        PlaceComment.by(to, number, node);
    }

    private void name(StringBuilder to, long host) {
        String address = named && host != HostNumbers.UNKNOWN && written.add(host) ? hostNumbers.name(host) : null;
        if (address != null) {
            PlaceComment.host(to, host, address);
        }
    }
}
