package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.StoredFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;

/**
 * Waits until the NameNode has all replicas in a tier, and measures of a few how long after the file itself is there: both
 * are looked at in turns, so a delay is too long by at most the time of one look at the few. One block and one replica for
 * each file.
 */
final class MappedDelays {

    /** Files of which the delay is measured. */
    private static final int MEASURED = 25;

    private final DistributedFileSystem fs;
    private final DataSet data;
    private final List<Path> homes = new ArrayList<>();
    private final List<Double> delaysMs = new ArrayList<>();
    private final Map<StoredFile, Long> movedNs = new HashMap<>();
    private final List<StoredFile> missing = new ArrayList<>();
    private final List<StoredFile> measured = new ArrayList<>();
    private String tier = "";
    private StorageType type = StorageType.DEFAULT;

    MappedDelays(LocalCluster cluster, FileSystem fs, DataSet data) {
        this.fs = (DistributedFileSystem) fs;
        this.data = data;
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            homes.add(cluster.layout().home(ClusterLayout.datanode(i)).resolve("tmp"));
        }
    }

    /** All replicas are to come to this tier from now on. */
    void begin(String newTier, StorageType newType) {
        tier = newTier;
        type = newType;
        missing.clear();
        missing.addAll(data.files());
        movedNs.clear();
        measured.clear();
        for (int i = 0; i < MEASURED; i++) {
            measured.add(data.files().get((int) ((long) i * data.files().size() / MEASURED)));
        }
        missing.removeAll(measured);
    }

    boolean isDone() {
        return missing.isEmpty() && measured.isEmpty();
    }

    int missing() {
        return missing.size() + measured.size();
    }

    /** Looks at the measured replicas that are missing, and once they have come at the others. */
    void look() throws IOException {
        for (StoredFile file : List.copyOf(measured)) {
            LocatedBlock block = located(file);
            if (isMapped(block)) {
                Long since = movedNs.get(file);
                delaysMs.add(since == null ? 0 : (System.nanoTime() - since) / 1e6);
                measured.remove(file);
            } else if (!movedNs.containsKey(file) && isThere(block)) {
                movedNs.put(file, System.nanoTime());
            }
        }
        if (measured.isEmpty()) {
            for (StoredFile file : List.copyOf(missing)) {
                if (isMapped(located(file))) {
                    missing.remove(file);
                }
            }
        }
    }

    private LocatedBlock located(StoredFile file) throws IOException {
        return fs.getClient().getLocatedBlocks(file.path(), 0, 1).get(0);
    }

    private boolean isMapped(LocatedBlock block) {
        return Arrays.asList(block.getStorageTypes()).contains(type);
    }

    private boolean isThere(LocatedBlock block) {
        for (Path home : homes) {
            Path directory = finalized(home.resolve(tier), block.getBlock().getBlockPoolId());
            Path inside = DatanodeUtil.idToBlockDir(
                            directory.toFile(), block.getBlock().getBlockId())
                    .toPath();
            if (Files.exists(inside.resolve(block.getBlock().getBlockName()))) {
                return true;
            }
        }
        return false;
    }

    /** The directory of finalised replicas of a volume. */
    private static Path finalized(Path volume, String pool) {
        return volume.resolve("current").resolve(pool).resolve("current").resolve("finalized");
    }

    /** Of all delays. */
    double percentileMs(double part) {
        List<Double> all = delaysMs.stream().sorted().toList();
        return all.isEmpty() ? 0 : all.get((int) Math.min(all.size() - 1, Math.floor(part * all.size())));
    }
}
