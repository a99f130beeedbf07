package io.terrace.bench.writefaults;

import io.terrace.bench.load.SeededContent;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;

/** The files of replicas in the volumes of DataNodes: they must be what was written, with their checksums, and all alike. */
final class WrittenReplicas {
    private final SeededContent content;
    private final List<Path> volumes;

    /** @param seed of the file's content */
    WrittenReplicas(long seed, List<Path> volumes) {
        this.content = new SeededContent(seed);
        this.volumes = volumes;
    }

    /** What is wrong with the replicas of a closed file; empty if nothing is. */
    Optional<String> fault(List<LocatedBlock> blocks, int replication) throws IOException {
        List<Path> files = files();
        for (LocatedBlock block : blocks) {
            Optional<String> fault = fault(block, replication, files);
            if (fault.isPresent()) {
                return fault;
            }
        }
        return Optional.empty();
    }

    /** A file of a replica that is not finalised, when nobody writes; empty if there is none. */
    Optional<String> unfinished() throws IOException {
        return files().stream()
                .filter(WrittenReplicas::isUnfinished)
                .map(file -> file + " is left")
                .findFirst();
    }

    private static boolean isUnfinished(Path file) {
        return file.toString().contains("/rbw/") || file.toString().contains("/tmp/blk_");
    }

    private Optional<String> fault(LocatedBlock located, int replication, List<Path> files) throws IOException {
        ExtendedBlock block = located.getBlock();
        if (located.getLocations().length != replication || located.isCorrupt()) {
            return Optional.of(block + " has " + located.getLocations().length + " of " + replication
                    + " replicas at the NameNode" + (located.isCorrupt() ? ", and is corrupt" : ""));
        }
        List<Path> replicas = files.stream()
                .filter(file ->
                        !isUnfinished(file) && file.getFileName().toString().equals(block.getBlockName()))
                .toList();
        if (replicas.size() < replication) {
            return Optional.of(block + " has " + replicas.size() + " of " + replication + " replicas in the volumes");
        }
        for (Path replica : replicas) {
            String wrong = wrong(replica, located);
            if (!wrong.isEmpty()) {
                return Optional.of(replica + " of " + block + " " + wrong);
            }
        }
        return Optional.empty();
    }

    private String wrong(Path replica, LocatedBlock located) throws IOException {
        byte[] data = Files.readAllBytes(replica);
        if (data.length != located.getBlockSize()) {
            return "has " + data.length + " bytes, not " + located.getBlockSize();
        }
        byte[] expected = new byte[data.length];
        content.fill(0, 0, located.getStartOffset(), expected, expected.length);
        int differs = Arrays.mismatch(data, expected);
        if (differs >= 0) {
            return "differs from what was written at byte " + differs;
        }
        Path meta = replica.resolveSibling(
                replica.getFileName() + "_" + located.getBlock().getGenerationStamp() + ".meta");
        if (!Files.exists(meta)) {
            return "has another generation stamp";
        }
        return wrongSums(data, meta);
    }

    private static String wrongSums(byte[] data, Path meta) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(meta))) {
            DataChecksum checksum = BlockMetadataHeader.readHeader(in).getChecksum();
            byte[] sums = in.readAllBytes();
            int chunks = (data.length + checksum.getBytesPerChecksum() - 1) / checksum.getBytesPerChecksum();
            if (sums.length != chunks * checksum.getChecksumSize()) {
                return "has " + sums.length + " bytes of checksums for " + chunks + " chunks";
            }
            checksum.verifyChunkedSums(ByteBuffer.wrap(data), ByteBuffer.wrap(sums), meta.toString(), 0);
            return "";
        } catch (org.apache.hadoop.fs.ChecksumException e) {
            return "has wrong checksums: " + e.getMessage();
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path volume : volumes) {
            try (Stream<Path> tree = Files.walk(volume)) {
                tree.filter(file -> file.getFileName().toString().startsWith("blk_"))
                        .forEach(files::add);
            } catch (UncheckedIOException | NoSuchFileException moved) {
                // Files come and go: the caller looks again.
                throw new IOException("files of " + volume + " are moving", moved);
            }
        }
        return files;
    }
}
