package io.terrace.bench.writefaults;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A directory on tmpfs for each DataNode's volume. Where this user may mount, each is a tmpfs of its own, and can become full.
 */
final class FaultVolumes {
    private static final String SIZE = "160m";

    private final Path root;
    private final int datanodes;
    private boolean mounted;

    /** @param root directory for all of them, not there or left by an earlier run */
    FaultVolumes(Path root, int datanodes) {
        this.root = root;
        this.datanodes = datanodes;
    }

    void make() throws IOException {
        remove();
        mounted = true;
        for (int i = 1; i <= datanodes; i++) {
            Files.createDirectories(of(i));
            mounted &= Command.succeeds(
                    "mount", "-t", "tmpfs", "-o", "size=" + SIZE, "terrace-write-faults", of(i).toString());
        }
    }

    /** Whether {@link #fill} works. */
    boolean canBeFull() {
        return mounted;
    }

    /** @param number of the DataNode, from 1 */
    Path of(int number) {
        return root.resolve(Integer.toString(number));
    }

    List<Path> all() {
        return IntStream.rangeClosed(1, datanodes).mapToObj(this::of).toList();
    }

    /** Takes all space that is left. */
    void fill(int number) throws IOException {
        try (FileChannel channel =
                FileChannel.open(filler(number), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer piece = ByteBuffer.allocate(256 << 10);
            while (true) {
                piece.clear();
                channel.write(piece);
            }
        } catch (IOException full) {
            if (Files.getFileStore(of(number)).getUnallocatedSpace() > 1 << 20) {
                throw full;
            }
        }
    }

    void empty(int number) throws IOException {
        Files.deleteIfExists(filler(number));
    }

    private Path filler(int number) {
        return of(number).resolve("filler");
    }

    /** Removes all, also what a killed run left. */
    void remove() throws IOException {
        for (Path volume : all()) {
            if (Files.exists(volume) && isMounted(volume) && !Command.succeeds("umount", "-l", volume.toString())) {
                throw new ClusterException("cannot unmount " + volume);
            }
        }
        LocalCluster.deleteTree(root);
    }

    private static boolean isMounted(Path volume) throws IOException {
        return Files.readString(Path.of("/proc/mounts")).contains(" " + volume + " ");
    }
}
