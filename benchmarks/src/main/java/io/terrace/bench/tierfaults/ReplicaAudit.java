package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.HdfsCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.StoredFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Compares where the files of replicas are in the volumes with where the NameNode has them. Each file has one of one block. */
final class ReplicaAudit {
    private static final Pattern BLOCK = Pattern.compile("blk_(\\d+)(?:_\\d+\\.meta)?");

    private final List<Node> nodes;
    private final DistributedFileSystem fs;
    private final DataSet data;

    ReplicaAudit(List<Node> nodes, DistributedFileSystem fs, DataSet data) {
        this.nodes = List.copyOf(nodes);
        this.fs = fs;
        this.data = data;
    }

    /**
     * A DataNode.
     *
     * @param transferPort by which the NameNode knows it
     * @param volumes directory that has its volumes, named as tiers are
     */
    record Node(int transferPort, Path volumes) {}

    /** The DataNodes of a cluster. */
    static List<Node> nodes(HdfsCluster cluster) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            String name = ClusterLayout.datanode(i);
            nodes.add(new Node(
                    cluster.transferPort(i), cluster.layout().home(name).resolve("tmp")));
        }
        return nodes;
    }

    /** @param node of the replica */
    record Place(Node node, StorageType type) {}

    /**
     * What the volumes hold.
     *
     * @param data places of finalised data files, by block
     * @param metas places of finalised meta files, by block
     * @param unfinished names of files that are not finalised
     */
    record OnDisk(Map<Long, List<Place>> data, Map<Long, List<Place>> metas, List<String> unfinished) {
        /** Blocks with two data files. */
        long doubles() {
            return data.values().stream().filter(places -> places.size() > 1).count();
        }

        /** Blocks with no data file on a volume of this type. */
        long without(StorageType type) {
            return data.values().stream()
                    .filter(places -> places.stream().noneMatch(place -> place.type() == type))
                    .count();
        }

        /** Meta files without their data file. */
        long loneMetas() {
            return lone(metas, data);
        }

        /** Data files without their meta file: stock reads them, without checksums. */
        long loneData() {
            return lone(data, metas);
        }

        private static long lone(Map<Long, List<Place>> files, Map<Long, List<Place>> others) {
            return files.entrySet().stream()
                    .flatMap(entry -> entry.getValue().stream()
                            .filter(place -> !others.getOrDefault(entry.getKey(), List.of())
                                    .contains(place)))
                    .count();
        }
    }

    /** What the volumes of all DataNodes hold now. */
    OnDisk onDisk() throws IOException {
        OnDisk found = new OnDisk(new HashMap<>(), new HashMap<>(), new ArrayList<>());
        for (Node node : nodes) {
            collect(node, found);
        }
        return found;
    }

    /** What the volumes of one DataNode, counted from 1, hold now. */
    OnDisk onDisk(int datanode) throws IOException {
        OnDisk found = new OnDisk(new HashMap<>(), new HashMap<>(), new ArrayList<>());
        collect(nodes.get(datanode - 1), found);
        return found;
    }

    private static void collect(Node node, OnDisk found) throws IOException {
        for (StorageType type : StorageType.values()) {
            Path volume = node.volumes().resolve(KillPoint.tier(type));
            if (Files.isDirectory(volume)) {
                for (Path file : files(volume)) {
                    Matcher name = BLOCK.matcher(file.getFileName().toString());
                    if (name.matches()) {
                        sort(file, Long.parseLong(name.group(1)), new Place(node, type), found);
                    }
                }
            }
        }
    }

    private static void sort(Path file, long block, Place place, OnDisk found) {
        if (!file.toString().contains("/finalized/")) {
            found.unfinished.add(file.toString());
        } else {
            var kind = file.toString().endsWith(".meta") ? found.metas : found.data;
            kind.computeIfAbsent(block, id -> new ArrayList<>()).add(place);
        }
    }

    private static List<Path> files(Path volume) throws IOException {
        while (true) {
            try (Stream<Path> tree = Files.walk(volume)) {
                return tree.toList();
            } catch (UncheckedIOException e) {
                // A file was moved away while the tree was walked.
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e;
                }
            }
        }
    }

    /** Files whose replica is in one volume, and the NameNode has it there. */
    Set<String> agreeing() throws IOException {
        Map<Long, List<Place>> there = onDisk().data();
        Set<String> agreeing = new HashSet<>();
        for (StoredFile file : data.files()) {
            LocatedBlock block = located(file);
            if (places(block).equals(there.get(block.getBlock().getBlockId()))) {
                agreeing.add(file.path());
            }
        }
        return agreeing;
    }

    /** Files whose replica the NameNode has on volumes of this type. */
    Set<String> on(StorageType type) throws IOException {
        Set<String> there = new HashSet<>();
        for (StoredFile file : data.files()) {
            List<Place> places = places(located(file));
            if (places.size() == 1 && places.get(0).type() == type) {
                there.add(file.path());
            }
        }
        return there;
    }

    private LocatedBlock located(StoredFile file) throws IOException {
        return fs.getClient()
                .getLocatedBlocks(file.path(), 0, file.lengthBytes())
                .get(0);
    }

    private List<Place> places(LocatedBlock block) {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < block.getLocations().length; i++) {
            int port = block.getLocations()[i].getXferPort();
            StorageType type = block.getStorageTypes()[i];
            nodes.stream()
                    .filter(node -> node.transferPort() == port)
                    .forEach(node -> places.add(new Place(node, type)));
        }
        return places;
    }
}
