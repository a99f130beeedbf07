package io.terrace.bench.apps;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import java.io.IOException;

/**
 * What the DataNodes say was read: through grants, which is from memory by our clients, or over their own sockets, from
 * whatever they had.
 *
 * @param grantedBytes by clients of Terrace, from memory
 * @param stockBytes sent by DataNodes to readers of stock HDFS, over TCP
 */
public record ServedBytes(long grantedBytes, long stockBytes) {
    private static final String GRANTED = "terrace_data_node_reads_granted_bytes_total";
    private static final String STOCK = "terrace_data_node_reads_stock_(?:memory|replica)_bytes_total";

    /** Bytes since the DataNodes started. Clients report their reads within a second or two. */
    public static ServedBytes of(LocalCluster cluster) throws IOException {
        long granted = 0;
        long stock = 0;
        for (var ports : cluster.ports().datanodes()) {
            MetricsPage page = new MetricsPage(ports.http());
            granted += page.value(GRANTED);
            stock += page.value(STOCK);
        }
        return new ServedBytes(granted, stock);
    }

    public ServedBytes since(ServedBytes before) {
        return new ServedBytes(grantedBytes - before.grantedBytes, stockBytes - before.stockBytes);
    }

    /** Share of the bytes that clients of Terrace read from memory. */
    public double share() {
        long all = grantedBytes + stockBytes;
        return all == 0 ? 0 : (double) grantedBytes / all;
    }
}
