package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Compares the files of replicas in the volumes of DataNodes. */
final class ReplicaComparison {
    private final LocalCluster cluster;
    private final FileContent content;

    ReplicaComparison(LocalCluster cluster, FileContent content) {
        this.cluster = cluster;
        this.content = content;
    }

    /**
     * Compares each replica of a file with what was written.
     *
     * @return by the name of a DataNode, the bytes that it has
     * @throws IOException also where there are more or fewer of them than the file is to have
     */
    Map<String, Long> compare(FileSystem fs, org.apache.hadoop.fs.Path file) throws IOException {
        Map<String, Long> bytes = new TreeMap<>();
        int replication = fs.getFileStatus(file).getReplication();
        for (LocatedBlock block : ((DistributedFileSystem) fs)
                .getClient()
                .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
                .getLocatedBlocks()) {
            int found = 0;
            for (int i = 1; i <= cluster.spec().datanodes(); i++) {
                String datanode = ClusterLayout.datanode(i);
                for (Path replica : files(datanode, block.getBlock().getBlockName())) {
                    compare(replica, block);
                    bytes.merge(datanode, block.getBlockSize(), Long::sum);
                    found++;
                }
            }
            if (found != replication) {
                throw new IOException(block.getBlock() + " has " + found + " of " + replication + " replicas");
            }
        }
        return bytes;
    }

    private void compare(Path replica, LocatedBlock block) throws IOException {
        try (InputStream in = Files.newInputStream(replica)) {
            content.requireIn(in, block.getStartOffset(), block.getStartOffset() + block.getBlockSize());
        } catch (IOException e) {
            throw new IOException("the replica " + replica, e);
        }
    }

    private List<Path> files(String datanode, String name) throws IOException {
        try (Stream<Path> tree = Files.walk(cluster.layout().home(datanode).resolve("data"))) {
            return tree.filter(file -> file.getFileName().toString().equals(name))
                    .toList();
        }
    }
}
