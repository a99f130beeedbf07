package io.terrace.bench.guides;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Queries of Hive's command line, on Tez and on MapReduce within its process, set up by docs/guides/hive.md. */
final class HiveGuide implements GuidedApplication {
    private static final String INPUT = "/guides/hive/words";
    private static final int ROWS = 1_000_000;
    private static final int WORDS = 97;
    private static final int LIMIT_SECONDS = 300;
    private static final String QUERY = "create external table if not exists words (id int, word string)"
            + " row format delimited fields terminated by ',' location '" + INPUT + "';"
            + " select word, count(*) from words group by word;";

    /** What Hive's own start script opens. */
    private static final List<String> OPENED = List.of(
            "java.io",
            "java.lang",
            "java.net",
            "java.nio",
            "java.time",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.regex");

    private final LocalCluster cluster;
    private final Path dir;
    private final Path conf;
    private final String classPath;
    private final Map<String, String> sessionSettings;
    private final GuideInput file;

    /** Writes the configuration and the input. */
    HiveGuide(GuidePage page, LocalCluster cluster, Path root, Path dir) throws IOException {
        this.cluster = cluster;
        this.dir = dir;
        GuideSite site = GuideSite.of(cluster, dir);
        List<Path> jars = new ArrayList<>(ApplicationJars.stock("hive", root));
        jars.add(ClassPath.client());
        this.classPath = new ClassPath(jars).text();
        this.sessionSettings = site.properties(page.properties("hive-site.xml"));
        this.conf = Files.createDirectories(dir.resolve("conf"));
        Path stock = cluster.layout().confStock();
        Files.copy(stock.resolve("core-site.xml"), conf.resolve("core-site.xml"));
        Configuration hdfs = new Configuration(false);
        hdfs.addResource(
                new org.apache.hadoop.fs.Path(stock.resolve("hdfs-site.xml").toUri()));
        site.properties(page.properties("hdfs-site.xml")).forEach(hdfs::set);
        write(hdfs, "hdfs-site.xml");
        try (FileSystem fs = FileSystem.newInstance(cluster.confStock());
                Writer out = new OutputStreamWriter(
                        fs.create(new org.apache.hadoop.fs.Path(INPUT, "rows.csv")), StandardCharsets.US_ASCII)) {
            for (int row = 0; row < ROWS; row++) {
                out.write(row + ",word" + row % WORDS + "\n");
            }
        }
        this.file = GuideInput.largest(cluster, INPUT);
    }

    private void write(Configuration settings, String name) throws IOException {
        try (OutputStream out = Files.newOutputStream(conf.resolve(name))) {
            settings.writeXml(out);
        }
    }

    @Override
    public Map<String, String> variables() {
        return Map.of("FILE", file.path());
    }

    @Override
    public double work() throws IOException, InterruptedException {
        double share = 1;
        for (String engine : List.of("mr", "tez")) {
            for (Map<String, String> settings : List.of(Map.<String, String>of(), sessionSettings)) {
                String name = settings.isEmpty() ? engine : engine + "-hive-site";
                share = Math.min(share, file.share(cluster, 1, () -> query(name, engine, settings)));
            }
        }
        return share;
    }

    private void query(String name, String engine, Map<String, String> settings) throws IOException {
        Configuration hive = new Configuration(false);
        hive.set(
                "javax.jdo.option.ConnectionURL",
                "jdbc:derby:;databaseName=" + dir.resolve("metastore-" + name) + ";create=true");
        hive.set("datanucleus.schema.autoCreateAll", "true");
        hive.set("hive.metastore.schema.verification", "false");
        hive.set("hive.exec.local.scratchdir", dir.resolve("scratch").toString());
        hive.set("hive.execution.engine", engine);
        hive.set("mapreduce.framework.name", "local");
        hive.set("tez.local.mode", "true");
        settings.forEach(hive::set);
        write(hive, "hive-site.xml");
        List<String> options =
                new ArrayList<>(List.of("-Xmx768m", "-Djava.io.tmpdir=" + Files.createDirectories(dir.resolve("tmp"))));
        OPENED.forEach(opened -> options.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
        String unused = new JavaProcess.Home(dir, classPath)
                .run(name, conf, options, List.of("org.apache.hadoop.hive.cli.CliDriver", "-e", QUERY), LIMIT_SECONDS);
    }

    @Override
    public void close() {
        // Hive's processes end with its queries.
    }
}
