package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * YARN beside a local cluster: a ResourceManager and a NodeManager, each its own JVM, with the checks of a container's
 * physical and virtual memory on, as by default. Jobs bring the client settings of their variant with them.
 */
public final class Yarn implements Closeable {
    private static final int START_SECONDS = 120;

    /** Memory of a container. The JVM's reservations are small enough for its share of virtual memory too. */
    private static final int CONTAINER_MB = 1024;

    private static final String CONTAINER_JVM =
            "-Xmx512m -XX:+UseSerialGC -XX:CompressedClassSpaceSize=96m -XX:ReservedCodeCacheSize=64m";

    private final LocalCluster cluster;
    private final Path dir;
    private final JavaProcess.Home home;
    private final Map<String, String> settings;
    private final JavaProcess resourceManager;
    private final JavaProcess nodeManager;

    Yarn(LocalCluster cluster, Path dir, String classPath) throws IOException {
        this(cluster, dir, classPath, Map.of());
    }

    /** @param over properties of daemons and jobs, over those that it takes by itself */
    public Yarn(LocalCluster cluster, Path dir, String classPath, Map<String, String> over) throws IOException {
        this.cluster = cluster;
        this.dir = dir;
        this.home = new JavaProcess.Home(dir.resolve("logs"), classPath);
        this.settings = settings(dir, classPath, Ports.free(9, new SplittableRandom()));
        settings.putAll(over);
        Path conf = ApplicationConf.write(dir.resolve("conf"), cluster, ClientVariant.stock(), settings);
        this.resourceManager = home.start(
                "resourcemanager",
                conf,
                List.of("-Xmx256m"),
                List.of("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"));
        resourceManager.awaitWords("Transitioned to active state", START_SECONDS);
        this.nodeManager = home.start(
                "nodemanager",
                conf,
                List.of("-Xmx256m"),
                List.of("org.apache.hadoop.yarn.server.nodemanager.NodeManager"));
        nodeManager.awaitWords("Registered with ResourceManager", START_SECONDS);
    }

    private static Map<String, String> settings(Path dir, String classPath, List<Integer> ports) {
        Map<String, String> map = new LinkedHashMap<>();
        String rm = "yarn.resourcemanager.";
        map.put(rm + "address", at(ports.get(0)));
        map.put(rm + "scheduler.address", at(ports.get(1)));
        map.put(rm + "resource-tracker.address", at(ports.get(2)));
        map.put(rm + "admin.address", at(ports.get(3)));
        map.put(rm + "webapp.address", at(ports.get(4)));
        String nm = "yarn.nodemanager.";
        map.put(nm + "address", at(ports.get(5)));
        map.put(nm + "localizer.address", at(ports.get(6)));
        map.put(nm + "webapp.address", at(ports.get(7)));
        map.put(nm + "local-dirs", dir.resolve("local").toString());
        map.put(nm + "log-dirs", dir.resolve("container-logs").toString());
        map.put(nm + "aux-services", "mapreduce_shuffle");
        map.put(nm + "resource.memory-mb", Integer.toString(4 * CONTAINER_MB));
        map.put(nm + "resource.cpu-vcores", "4");
        map.put(nm + "disk-health-checker.max-disk-utilization-per-disk-percentage", "99");
        map.put("mapreduce.shuffle.port", Integer.toString(ports.get(8)));
        map.put("yarn.application.classpath", commas(classPath));
        map.put("mapreduce.application.classpath", commas(classPath));
        map.put("mapreduce.framework.name", "yarn");
        map.put("yarn.app.mapreduce.am.staging-dir", "/staging");
        map.put("hadoop.tmp.dir", dir.resolve("tmp").toString());
        for (String task : List.of("map", "reduce")) {
            map.put("mapreduce." + task + ".memory.mb", Integer.toString(CONTAINER_MB));
            map.put("mapreduce." + task + ".java.opts", CONTAINER_JVM);
        }
        map.put("yarn.app.mapreduce.am.resource.mb", Integer.toString(CONTAINER_MB));
        map.put("yarn.app.mapreduce.am.command-opts", CONTAINER_JVM);
        // A task that fails because of Terrace must not be hidden by a second attempt that succeeds.
        map.put("mapreduce.map.maxattempts", "1");
        map.put("mapreduce.reduce.maxattempts", "1");
        return map;
    }

    /** Runs a program that submits a job, with the client settings of a variant, and returns what it wrote. */
    public String submit(String name, ClientVariant variant, int limitSeconds, List<String> words) throws IOException {
        Path conf = ApplicationConf.write(dir.resolve("conf-" + variant.name()), cluster, variant, settings);
        return home.run(name, conf, List.of("-Xmx256m"), words, limitSeconds);
    }

    private static String at(int port) {
        return "localhost:" + port;
    }

    private static String commas(String classPath) {
        return classPath.replace(':', ',');
    }

    @Override
    public void close() throws IOException {
        nodeManager.close();
        resourceManager.close();
    }
}
