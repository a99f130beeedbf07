package io.terrace.bench.apps;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Configuration directories of a workload's processes. */
final class ApplicationConf {
    /**
     * Each file holds all properties, because Hadoop reads each after another list of defaults, which would override
     * the others.
     */
    private static final List<String> SITES =
            List.of("core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml", "hbase-site.xml");

    private static final String LOGGING =
            """
            log4j.rootLogger=INFO, console
            log4j.logger.io.terrace=INFO
            log4j.appender.console=org.apache.log4j.ConsoleAppender
            log4j.appender.console.target=System.out
            log4j.appender.console.layout=org.apache.log4j.PatternLayout
            log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
            """;

    private ApplicationConf() {}

    /** Writes the cluster's stock client settings, the variant's and the workload's, the later over the earlier. */
    static Path write(Path dir, LocalCluster cluster, ClientVariant variant, Map<String, String> workload)
            throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        Configuration stock = new Configuration(false);
        for (String site : List.of("core-site.xml", "hdfs-site.xml")) {
            stock.addResource(new org.apache.hadoop.fs.Path(
                    cluster.layout().confStock().resolve(site).toUri()));
        }
        stock.forEach(property -> all.put(property.getKey(), property.getValue()));
        all.putAll(variant.properties());
        all.putAll(workload);
        Configuration conf = new Configuration(false);
        all.forEach(conf::set);
        Files.createDirectories(dir);
        for (String site : SITES) {
            try (OutputStream out = Files.newOutputStream(dir.resolve(site))) {
                conf.writeXml(out);
            }
        }
        Files.writeString(dir.resolve("log4j.properties"), LOGGING);
        return dir;
    }
}
