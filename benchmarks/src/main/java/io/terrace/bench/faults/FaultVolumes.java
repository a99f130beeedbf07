package io.terrace.bench.faults;

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
public final class FaultVolumes {
    private final Path root;
    private final int datanodes;
    private final String size;
    private final Thread atExit = new Thread(this::unmount, "remove-volumes");
    private boolean mounted;

    /**
     * @param root directory for all of them, not there or left by an earlier run
     * @param size of each, as {@code mount} takes it
     */
    public FaultVolumes(Path root, int datanodes, String size) {
        this.root = root;
        this.datanodes = datanodes;
        this.size = size;
    }

    /** Makes them. A command that is interrupted removes them too. */
    public void make() throws IOException {
        remove();
        Runtime.getRuntime().addShutdownHook(atExit);
        mounted = true;
        for (int i = 1; i <= datanodes; i++) {
            Files.createDirectories(of(i));
            mounted &= SystemCommand.succeeds(
                    "mount", "-t", "tmpfs", "-o", "size=" + size, "terrace-faults", of(i).toString());
        }
    }

    /** Whether {@link #fill} works. */
    public boolean canBeFull() {
        return mounted;
    }

    /** @param number of the DataNode, from 1 */
    public Path of(int number) {
        return root.resolve(Integer.toString(number));
    }

    public List<Path> all() {
        return IntStream.rangeClosed(1, datanodes).mapToObj(this::of).toList();
    }

    /** Takes all space that is left. */
    public void fill(int number) throws IOException {
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

    public void empty(int number) throws IOException {
        Files.deleteIfExists(filler(number));
    }

    private Path filler(int number) {
        return of(number).resolve("filler");
    }

    private void unmount() {
        try {
            clear();
        } catch (IOException e) {
            System.err.println("terrace: " + root + " could not be removed: " + e.getMessage());
        }
    }

    /** Removes all, also what a killed run left. */
    public void remove() throws IOException {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            return;
        }
    }

    private void clear() throws IOException {
        for (Path volume : all()) {
            if (Files.exists(volume)
                    && isMounted(volume)
                    && !SystemCommand.succeeds("umount", "-l", volume.toString())) {
                throw new ClusterException("cannot unmount " + volume);
            }
        }
        LocalCluster.deleteTree(root);
    }

    private static boolean isMounted(Path volume) throws IOException {
        return Files.readString(Path.of("/proc/mounts")).contains(" " + volume + " ");
    }
}
