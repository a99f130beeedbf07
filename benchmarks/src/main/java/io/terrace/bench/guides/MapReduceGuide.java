package io.terrace.bench.guides;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.apps.Yarn;
import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** TeraSort over YARN, set up by docs/guides/mapreduce.md. */
final class MapReduceGuide implements GuidedApplication {
    private static final String TERA = "org.apache.hadoop.examples.terasort.";
    private static final String INPUT = "/guides/tera";
    private static final int ROWS = 500_000;
    private static final int LIMIT_SECONDS = 300;

    private final LocalCluster cluster;
    private final Yarn yarn;
    private final ClientVariant guided;
    private final List<String> jobOptions;
    private final GuideInput file;

    /** Starts YARN and writes the input. */
    MapReduceGuide(GuidePage page, LocalCluster cluster, Path root, Path dir) throws IOException {
        this.cluster = cluster;
        GuideSite site = GuideSite.of(cluster, dir);
        this.guided = new ClientVariant("guide", site.properties(page.properties("hdfs-site.xml")));
        this.jobOptions = page.jobOptions();
        List<Path> jars = ApplicationJars.stock("mapreduce", root);
        Map<String, String> settings = installation(dir.resolve("hadoop"), jars);
        settings.putAll(site.properties(page.properties("mapred-site.xml")));
        this.yarn = new Yarn(cluster, dir, new ClassPath(jars).text() + ":" + site.clientLib() + "/*", settings);
        boolean ready = false;
        try {
            submit("teragen", "TeraGen", "-D", "mapreduce.job.maps=1", Integer.toString(ROWS), INPUT);
            this.file = GuideInput.largest(cluster, INPUT);
            ready = true;
        } finally {
            if (!ready) {
                yarn.close();
            }
        }
    }

    /** MapReduce's jars where its tarball has them, and the settings that let containers find them. */
    private static Map<String, String> installation(Path home, List<Path> jars) throws IOException {
        Path own = home.resolve("share/hadoop/mapreduce");
        Files.createDirectories(own.resolve("lib"));
        List<Path> others = new ArrayList<>();
        for (Path jar : jars) {
            if (jar.getFileName().toString().startsWith("hadoop-mapreduce-")) {
                Files.createSymbolicLink(own.resolve(jar.getFileName()), jar);
            } else {
                others.add(jar);
            }
        }
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(
                "yarn.application.classpath",
                others.stream().map(Path::toString).collect(Collectors.joining(",")));
        for (String key : List.of("yarn.app.mapreduce.am.env", "mapreduce.map.env", "mapreduce.reduce.env")) {
            settings.put(key, "HADOOP_MAPRED_HOME=" + home);
        }
        return settings;
    }

    @Override
    public Map<String, String> variables() {
        return Map.of("FILE", file.path());
    }

    @Override
    public double work() throws IOException, InterruptedException {
        double share = file.share(cluster, 1, () -> submit("accessor", "TeraSort", INPUT, "/guides/sorted"));
        for (String option : jobOptions) {
            share = Math.min(
                    share,
                    file.share(
                            cluster,
                            1,
                            () -> submit("option", "TeraSort", "-D", option, INPUT, "/guides/sorted-" + option)));
        }
        return share;
    }

    private void submit(String name, String program, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(TERA + program));
        words.addAll(List.of(arguments));
        String unused = yarn.submit(name, guided, LIMIT_SECONDS, words);
    }

    @Override
    public void close() throws IOException {
        yarn.close();
    }
}
