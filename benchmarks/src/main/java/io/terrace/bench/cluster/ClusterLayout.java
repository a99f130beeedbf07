package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where the files of one local cluster stand: everything under its directory, but for the memory tier
 * and the sockets.
 *
 * @param dir absolute, normalised directory of the cluster
 */
public record ClusterLayout(Path dir) {
    /** A Unix socket's path has at most 108 bytes with its final zero. */
    private static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final Path TMPFS = Path.of("/dev/shm");

    public ClusterLayout {
        dir = dir.toAbsolutePath().normalize();
    }

    /** The description of the cluster, for later starts. */
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
                        IntStream.rangeClosed(1, datanodes).mapToObj(ClusterLayout::datanode))
                .toList();
    }

    /**
     * The cluster's directory on tmpfs, which holds the memory tier: {@code /dev/shm/terrace-} and a hash of the
     * cluster's directory, or {@code memory} below that directory where there is no such tmpfs.
     */
    public Path memory() {
        return TMPFS.toFile().isDirectory() ? TMPFS.resolve("terrace-" + hash()) : dir.resolve("memory");
    }

    /**
     * Directory of the sockets through which local clients meet the DataNodes. On tmpfs, because nobody else may be able
     * to write any directory above it and a checkout made with umask 002 does not pass.
     */
    public Path channel() {
        return memory().resolve("channel");
    }

    /**
     * Socket of stock short-circuit reads; Hadoop puts the transfer port in the place of {@code _PORT}. Hadoop refuses
     * it below a directory that others can write, sticky or not; where the cluster's own is such, or its path too long,
     * the user's runtime directory takes it.
     */
    public Path shortCircuit() {
        String name = "terrace-" + hash();
        Stream<Path> runtime = Stream.of(Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR")), Optional.of("/run"))
                .flatMap(Optional::stream)
                .map(Path::of)
                .filter(Files::isWritable)
                .map(parent -> parent.resolve(name));
        Path own = dir.resolve("short-circuit");
        return Stream.concat(Stream.of(own), runtime)
                .filter(candidate -> fits(candidate, "dn._PORT".length()) && isProtected(candidate))
                .findFirst()
                .orElse(own)
                .resolve("dn._PORT");
    }

    /** Whether Hadoop takes that socket. */
    public boolean canReadShortCircuit() {
        return fits(shortCircuitDir(), "dn._PORT".length()) && isProtected(shortCircuitDir());
    }

    /** Directory of the sockets of stock short-circuit reads, for them alone. */
    Path shortCircuitDir() {
        return Objects.requireNonNull(shortCircuit().getParent());
    }

    /** Whether no existing directory of the path can be written by its group or by others. */
    private static boolean isProtected(Path path) {
        for (Path component = path; component != null; component = component.getParent()) {
            try {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(component);
                if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                    return false;
                }
            } catch (IOException e) {
                // Missing directories are created with the right permissions.
                if (!(e instanceof NoSuchFileException)) {
                    return false;
                }
            }
        }
        return true;
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
