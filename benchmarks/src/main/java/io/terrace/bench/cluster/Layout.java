package io.terrace.bench.cluster;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where the files of one local cluster stand: everything under its directory, but for the memory tier on tmpfs.
 *
 * @param dir absolute, normalised directory of the cluster
 */
public record Layout(Path dir) {
    /** A Unix socket's path has at most 108 bytes with its final zero. */
    private static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final int UUID_SOCKET_NAME_BYTES = 36 + ".sock".length();
    private static final Path TMPFS = Path.of("/dev/shm");

    public Layout {
        dir = dir.toAbsolutePath().normalize();
    }

    /** What the cluster is, for later starts. */
    public Path clusterFile() {
        return dir.resolve("cluster.json");
    }

    /** Client configuration with Terrace on. */
    public Path conf() {
        return dir.resolve("conf");
    }

    /** Client configuration of the same cluster with Terrace off in the client. */
    public Path confStock() {
        return dir.resolve("conf-stock");
    }

    /** One line: a class path for Hadoop clients. */
    public Path classpathFile() {
        return dir.resolve("classpath");
    }

    public Path logs() {
        return dir.resolve("logs");
    }

    public Path pids() {
        return dir.resolve("pids");
    }

    /** Configuration and data of one daemon. */
    public Path home(String daemon) {
        return dir.resolve(daemon);
    }

    public static String namenode() {
        return "namenode";
    }

    /** Name of a DataNode, counted from 1. */
    public static String datanode(int number) {
        return "datanode-" + number;
    }

    /** The NameNode first, then the DataNodes. */
    public static List<String> daemons(int datanodes) {
        return Stream.concat(
                        Stream.of(namenode()),
                        IntStream.rangeClosed(1, datanodes).mapToObj(Layout::datanode))
                .toList();
    }

    /**
     * The cluster's directory on tmpfs, which holds the memory tier: {@code /dev/shm/terrace-} and a hash of the
     * cluster's directory, or {@code memory} below that directory where there is no such tmpfs.
     */
    public Path memory() {
        return TMPFS.toFile().isDirectory() ? TMPFS.resolve("terrace-" + hash()) : dir.resolve("memory");
    }

    /** Directory of the sockets through which local clients meet the DataNodes. */
    public Path channel() {
        Path wanted = dir.resolve("channel");
        return fits(wanted, UUID_SOCKET_NAME_BYTES) ? wanted : memory().resolve("channel");
    }

    /** Socket of stock short-circuit reads; Hadoop puts the transfer port in the place of {@code _PORT}. */
    public Path shortCircuit() {
        Path wanted = dir.resolve("short-circuit");
        return (fits(wanted, "dn._PORT".length()) ? wanted : memory().resolve("short-circuit")).resolve("dn._PORT");
    }

    private static boolean fits(Path dir, int nameBytes) {
        return dir.toString().getBytes(StandardCharsets.UTF_8).length + 1 + nameBytes <= MAX_SOCKET_PATH_BYTES;
    }

    private String hash() {
        long hash = 0xcbf29ce484222325L; // FNV-1a
        for (byte b : dir.toString().getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return String.format("%016x", hash);
    }
}
