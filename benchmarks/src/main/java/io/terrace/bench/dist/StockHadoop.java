package io.terrace.bench.dist;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/**
 * A Hadoop without Terrace, in one directory, laid out as its tarball is: the jars that the build resolved, and scripts that
 * stand in for its own.
 *
 * @param home HADOOP_HOME
 * @param jars Hadoop's jars and those it brings
 */
record StockHadoop(Path home, List<Path> jars) {
    /** Properties with which processes beside the NameNode load classes of its jar. */
    static final String SERVER_CLASSES = property(
                    "dfs.block.replicator.classname",
                    "org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy")
            + property(
                    "dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger");

    StockHadoop {
        jars = List.copyOf(jars);
    }

    /** Makes one, with the configuration of a NameNode and a DataNode on ports that are free now. */
    static StockHadoop make(Path home, ClassPath all) throws IOException {
        List<Path> ours = all.plugins().entries();
        List<Path> jars = all.hadoop().entries().stream()
                .filter(jar -> !ours.contains(jar))
                .toList();
        Path lib = Files.createDirectories(home.resolve("share/hadoop/common/lib"));
        for (Path jar : jars) {
            Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
        }
        webPages(Files.createDirectories(home.resolve("share/hadoop/hdfs")));
        Files.createDirectories(home.resolve("libexec/shellprofile.d"));
        Files.createDirectories(home.resolve("logs"));
        Path script = Files.createDirectories(home.resolve("bin")).resolve("hadoop");
        copy("/io/terrace/bench/dist/hadoop", script);
        if (!script.toFile().setExecutable(true)) {
            throw new IOException(script + " cannot be made executable");
        }
        Files.createSymbolicLink(script.resolveSibling("hdfs"), Path.of("hadoop"));
        configure(Files.createDirectories(home.resolve("etc/hadoop")), home);
        return new StockHadoop(home, jars);
    }

    Path conf() {
        return home.resolve("etc/hadoop");
    }

    Path log(String daemon) {
        return home.resolve("logs").resolve(daemon + ".log");
    }

    private static void configure(Path conf, Path home) throws IOException {
        List<Integer> ports = Ports.free(2, new Random());
        Map<String, String> core = new LinkedHashMap<>();
        core.put("fs.defaultFS", "hdfs://localhost:" + ports.get(0));
        core.put("hadoop.tmp.dir", home.resolve("data").toString());
        Files.writeString(conf.resolve("core-site.xml"), xml(core));
        Map<String, String> hdfs = new LinkedHashMap<>();
        hdfs.put("dfs.replication", "1");
        hdfs.put("dfs.namenode.http-address", "localhost:0");
        hdfs.put("dfs.namenode.safemode.extension", "0");
        hdfs.put("dfs.datanode.address", "127.0.0.1:0");
        hdfs.put("dfs.datanode.http.address", "127.0.0.1:0");
        hdfs.put("dfs.datanode.ipc.address", "127.0.0.1:0");
        hdfs.put("dfs.datanode.hostname", "localhost");
        hdfs.put("dfs.heartbeat.interval", "1s");
        hdfs.put("terrace.placement.rpc-address", "localhost:" + ports.get(1));
        Files.writeString(conf.resolve("hdfs-site.xml"), xml(hdfs));
        copy("/io/terrace/bench/cluster/client-log4j.properties", conf.resolve("log4j.properties"));
    }

    /** The last property is on the line of the end, as editors leave it. */
    private static String xml(Map<String, String> properties) {
        return properties.entrySet().stream()
                .map(entry -> property(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining("\n", "<configuration>\n", "</configuration>\n"));
    }

    private static String property(String key, String value) {
        return "<property><name>" + key + "</name><value>" + value + "</value></property>";
    }

    private static void copy(String resource, Path to) throws IOException {
        try (InputStream in = Objects.requireNonNull(StockHadoop.class.getResourceAsStream(resource), resource)) {
            Files.copy(in, to);
        }
    }

    /** Those of the daemons are in the benchmarks jar. */
    private static void webPages(Path into) throws IOException {
        try (JarFile jar = new JarFile(Path.of(StockHadoop.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().startsWith("webapps/") && !entry.isDirectory()) {
                    Path file = into.resolve(entry.getName()).normalize();
                    Files.createDirectories(Objects.requireNonNull(file.getParent()));
                    try (InputStream in = jar.getInputStream(entry)) {
                        Files.copy(in, file);
                    }
                }
            }
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}
