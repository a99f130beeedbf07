package io.terrace.bench.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * The beans of a DataNode and their attributes, as {@code /jmx} shows them.
 *
 * @param names bean and attribute; without what differs between two DataNodes
 */
record StockNames(Set<String> names) {
    private static final int FILES = 2;
    private static final long FILE_BYTES = 1L << 20;
    private static final int LEAST_NAMES = 200;

    /** What differs between two DataNodes. */
    private static final Pattern OWN = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|/[^,\"]*|\\d+");

    /** It has the calls that were made so far. */
    private static final String OF_CALLS = "RpcDetailedActivity";

    /** Those of a DataNode of a cluster of stock HDFS, which has been written and read. */
    static StockNames ofStock(Path dir, ClusterSpec like) throws IOException {
        try (TemporaryCluster stock = TemporaryCluster.up(dir, like.withTerrace(false))) {
            LocalCluster cluster = stock.cluster();
            try (DistributedFileSystem fs = (DistributedFileSystem)
                    FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.confStock())) {
                for (org.apache.hadoop.fs.Path file : new BenchFiles(fs, 1).store("stock", FILES, FILE_BYTES)) {
                    try (InputStream in = fs.open(file)) {
                        in.transferTo(OutputStream.nullOutputStream());
                    }
                }
            }
            return of(cluster);
        }
    }

    /** Those of the first DataNode of a cluster. */
    static StockNames of(LocalCluster cluster) throws IOException {
        PrometheusText page = PrometheusText.of(
                "http://localhost:" + cluster.ports().datanodes().get(0).http() + "/jmx?qry=Hadoop:*");
        Set<String> names = new TreeSet<>();
        for (JsonNode bean : new ObjectMapper().readTree(page.text()).path("beans")) {
            String name = bean.path("name").asText();
            if (!name.contains(OF_CALLS)) {
                bean.fieldNames()
                        .forEachRemaining(
                                attribute -> names.add(OWN.matcher(name).replaceAll("N") + " " + attribute));
            }
        }
        return new StockNames(names);
    }

    /** All of these must be there with Terrace, too. */
    void compare(StockNames terrace, ResultSheet sheet) {
        Set<String> missing = new TreeSet<>(names);
        missing.removeAll(terrace.names);
        missing.forEach(name -> sheet.progress("missing with Terrace: " + name));
        sheet.atLeast("monitoring.stock.names", names.size(), LEAST_NAMES);
        sheet.exactly("monitoring.stock.missing", missing.size(), 0);
    }
}
