package io.terrace.bench.writefaults;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.faults.FaultVolumes;
import io.terrace.datanode.write.WriteService;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What DataNodes must not hold when nobody writes. */
final class Leftovers {
    private static final Pattern RESERVED = Pattern.compile("reservedSpaceForReplicas\\W+(\\d+)");
    /** Threads that serve a writer's connection, or send its blocks on, of Terrace and of stock. */
    private static final Pattern THREAD = Pattern.compile(Pattern.quote(WriteService.THREADS)
            + "[0-9a-f-]{36}-\\d[^\\n]*|DataXceiver for client[^\\n]*Receiving[^\\n]*|PacketResponder[^\\n]*");

    private final LocalCluster cluster;
    private final FaultVolumes volumes;

    Leftovers(LocalCluster cluster, FaultVolumes volumes) {
        this.cluster = cluster;
        this.volumes = volumes;
    }

    /** The first thing found; empty if there is none. */
    Optional<String> fault() throws IOException {
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            int port = cluster.ports().datanodes().get(i - 1).http();
            Optional<String> fault = fault(i, port);
            if (fault.isPresent()) {
                return fault.map(("DataNode " + cluster.datanode(i).name() + " has ")::concat);
            }
        }
        return Optional.empty();
    }

    private Optional<String> fault(int number, int port) throws IOException {
        Matcher reserved = RESERVED.matcher(page(port, "/jmx?qry=Hadoop:service=DataNode,name=DataNodeInfo"));
        if (!reserved.find()) {
            return Optional.of("no volume");
        }
        if (!reserved.group(1).equals("0")) {
            return Optional.of(reserved.group(1) + " bytes reserved for replicas");
        }
        long connections = new MetricsPage(port).value("terrace_data_node_channel_write_connections");
        if (connections != 0) {
            return Optional.of(connections + " connections for writes");
        }
        Optional<String> thread = writerThread(page(port, "/stacks"));
        return thread.isPresent()
                ? thread.map("the thread "::concat)
                : openReplica(number).map("open "::concat);
    }

    private Optional<String> openReplica(int number) throws IOException {
        ProcessHandle process = cluster.datanode(number).process().orElse(null);
        if (process == null) {
            return Optional.of("no process");
        }
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            for (Path file : files.toList()) {
                String target = target(file);
                if (target.startsWith(volumes.of(number).toString()) && target.contains("/blk_")) {
                    return Optional.of(target);
                }
            }
        }
        return Optional.empty();
    }

    private static String target(Path file) throws IOException {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (NoSuchFileException closed) {
            return "";
        }
    }

    private static String page(int port, String path) throws IOException {
        try (var in = URI.create("http://localhost:" + port + path).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The first thread of a writer in a page of stacks; empty if there is none. */
    static Optional<String> writerThread(String stacks) {
        return THREAD.matcher(stacks).results().map(MatchResult::group).findFirst();
    }
}
