package io.terrace.bench.guides;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A Spark of driver, master, worker and executors, set up by docs/guides/spark.md. */
final class SparkGuide implements GuidedApplication {
    private static final String INPUT = "/guides/spark";
    private static final int ROWS = 500_000;

    /** The program reads its input to sum it up, and to sort it. */
    private static final int PASSES = 2;

    private static final String OWN =
            """
            spark.master  local-cluster[1,2,1024]
            spark.ui.enabled  false
            spark.driver.memory  512m
            spark.driver.host  127.0.0.1
            spark.driver.bindAddress  127.0.0.1
            # A task that fails because of Terrace must not be hidden by a second attempt that succeeds.
            spark.task.maxFailures  1
            """;

    private final LocalCluster cluster;
    private final Path defaults;
    private final List<String> contents;
    private final Shell shell;
    private final GuideInput file;

    /** Lays Spark out as its tarball does, and writes the input. */
    SparkGuide(GuidePage page, LocalCluster cluster, Path root, Path dir) throws IOException, InterruptedException {
        this.cluster = cluster;
        GuideSite site = GuideSite.of(cluster, dir);
        this.contents =
                page.contents("spark-defaults.conf").stream().map(site::text).toList();
        Path home = dir.resolve("spark");
        Path jars = Files.createDirectories(home.resolve("jars"));
        for (Path jar : ApplicationJars.stock("spark", root)) {
            Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
        }
        Path submit = Files.createDirectories(home.resolve("bin")).resolve("spark-submit");
        try (InputStream in = Objects.requireNonNull(SparkGuide.class.getResourceAsStream("spark-submit"))) {
            Files.copy(in, submit);
        }
        if (!submit.toFile().setExecutable(true)) {
            throw new IOException(submit + " cannot be made executable");
        }
        Path conf = Files.createDirectories(home.resolve("conf"));
        this.defaults = conf.resolve("spark-defaults.conf");
        // Terrace is in Spark's own configuration alone.
        this.shell = new Shell(dir, dir.resolve("spark.log"))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("SPARK_HOME", home)
                .with("SPARK_CONF_DIR", conf)
                .with("SPARK_SCALA_VERSION", "2.13")
                .with("SPARK_LOCAL_IP", "127.0.0.1")
                .with("SPARK_LOCAL_HOSTNAME", "localhost")
                .with("HADOOP_CONF_DIR", cluster.layout().confStock())
                .with("SOURCE", root.resolve("benchmarks/workloads/spark/SparkSort.java"));
        run(
                "",
                "\"$JAVA_HOME\"/bin/javac -cp \"$SPARK_HOME/jars/*\" -d classes \"$SOURCE\"\n"
                        + "\"$JAVA_HOME\"/bin/jar --create --file sort.jar -C classes .\n"
                        + submit("generate " + INPUT + " " + ROWS + " 1"));
        this.file = GuideInput.largest(cluster, INPUT);
    }

    private static String submit(String arguments) {
        return "\"$SPARK_HOME\"/bin/spark-submit --class SparkSort sort.jar " + arguments;
    }

    private void run(String settings, String script) throws IOException, InterruptedException {
        Files.writeString(defaults, OWN + settings);
        if (!shell.run(script)) {
            throw new ClusterException("a Spark program failed: see " + shell.log());
        }
    }

    @Override
    public Map<String, String> variables() {
        return Map.of("FILE", file.path());
    }

    @Override
    public double work() throws IOException, InterruptedException {
        double share = 1;
        StringBuilder settings = new StringBuilder();
        for (int i = 0; i < contents.size(); i++) {
            settings.append(contents.get(i));
            String script = submit("sort " + INPUT + " /guides/spark-sorted-" + i);
            share = Math.min(share, file.share(cluster, PASSES, () -> run(settings.toString(), script)));
        }
        return share;
    }

    @Override
    public void close() {
        // Spark's processes end with its programs.
    }
}
