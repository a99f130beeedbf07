package io.terrace.bench.measure;

import io.terrace.bench.cluster.MetricsPage;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calls that a NameNode has answered since it started, by name: its RpcDetailedActivity metrics. */
public final class NameNodeCalls {
    /** The page also has the average times of the calls, and both again under other names. */
    private static final Pattern LINE = Pattern.compile(
            "^rpcdetailed_(?!overall_|deferred_)(\\w+)_num_ops\\{port=\"(\\d+)\".*} ([0-9.E]+)$", Pattern.MULTILINE);

    /** Calls that DataNodes make without any reader. */
    private static final Set<String> OF_DAEMONS = Set.of(
            "send_heartbeat",
            "block_report",
            "block_received_and_deleted",
            "cache_report",
            "send_lifeline",
            "register_datanode",
            "version_request",
            "error_report");

    private final MetricsPage page;
    private final int rpcPort;

    /**
     * @param page of the NameNode
     * @param rpcPort the calls to this one; the placement service has its own
     */
    public NameNodeCalls(MetricsPage page, int rpcPort) {
        this.page = page;
        this.rpcPort = rpcPort;
    }

    /** The sum of the calls by clients. */
    public long ofClients() throws IOException {
        return byNameOfClients().values().stream().mapToLong(Long::longValue).sum();
    }

    /** The calls by clients, by name. */
    public Map<String, Long> byNameOfClients() throws IOException {
        Map<String, Long> calls = byName();
        calls.keySet().removeAll(OF_DAEMONS);
        return calls;
    }

    private Map<String, Long> byName() throws IOException {
        Map<String, Long> calls = parse(page.text(), rpcPort);
        if (calls.isEmpty()) {
            throw new IOException("the NameNode reports no calls to port " + rpcPort);
        }
        return calls;
    }

    /** Calls by name in Prometheus's text format. */
    static Map<String, Long> parse(String page, int rpcPort) {
        Map<String, Long> calls = new TreeMap<>();
        Matcher lines = LINE.matcher(page);
        while (lines.find()) {
            if (Integer.parseInt(lines.group(2)) == rpcPort) {
                calls.put(lines.group(1), (long) Double.parseDouble(lines.group(3)));
            }
        }
        return calls;
    }
}
