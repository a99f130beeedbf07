package io.terrace.bench.faults;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;

/** The files of replicas in the volumes of DataNodes: they must be what was written, with their checksums, and all alike. */
public final class WrittenReplicas {
    private final List<Path> datanodes;
    private final Flipped flipped;

    /** What a file holds. */
    public interface Written {
        /** Fills a buffer with it, from a position of the file on. */
        void fill(long position, byte[] target);
    }

    /** Bits that were flipped in replicas behind the back of DataNodes. */
    public interface Flipped {
        /** Whether one was, in any replica of a block. */
        boolean isIn(long block);

        /** Whether a byte of a block may be another one than what was written. */
        boolean explains(long block, long offset, int expected, int actual);
    }

    /** What can be wrong with a block. */
    public enum Kind {
        /** The NameNode, or the volumes, have another number of replicas than the file is to have. */
        MISSING,
        /** A replica is not what was written. */
        WRONG
    }

    /**
     * What is wrong with a block.
     *
     * @param block its number; 0 if none is meant
     */
    public record Fault(Kind kind, long block, String what) {}

    private static final class NothingFlipped implements Flipped {
        @Override
        public boolean isIn(long block) {
            return false;
        }

        @Override
        public boolean explains(long block, long offset, int expected, int actual) {
            return false;
        }
    }

    /**
     * Where nobody changes replicas but DataNodes.
     *
     * @param datanodes the directory of each DataNode that has its volumes
     */
    public WrittenReplicas(List<Path> datanodes) {
        this(datanodes, new NothingFlipped());
    }

    /** @param flipped by others than DataNodes */
    public WrittenReplicas(List<Path> datanodes, Flipped flipped) {
        this.datanodes = List.copyOf(datanodes);
        this.flipped = flipped;
    }

    /**
     * What is wrong with the replicas of a closed file; empty if nothing is.
     *
     * @param files as {@link #files} found them
     */
    public Optional<Fault> fault(
            List<LocatedBlock> blocks, int replication, Written written, Map<String, List<Path>> files)
            throws IOException {
        for (LocatedBlock block : blocks) {
            Optional<Fault> fault = fault(block, replication, written, files);
            if (fault.isPresent()) {
                return fault;
            }
        }
        return Optional.empty();
    }

    /** A file of a replica that is not finalised, when nobody writes; empty if there is none. */
    public Optional<String> unfinished() throws IOException {
        return unfinished(file -> false);
    }

    /** @param known files that do not count */
    public Optional<String> unfinished(Predicate<Path> known) throws IOException {
        return files().values().stream()
                .flatMap(List::stream)
                .filter(WrittenReplicas::isUnfinished)
                .filter(file -> !known.test(file))
                .map(file -> file + " is left")
                .findFirst();
    }

    private static boolean isUnfinished(Path file) {
        return file.toString().contains("/rbw/") || file.toString().contains("/tmp/blk_");
    }

    private Optional<Fault> fault(LocatedBlock located, int replication, Written written, Map<String, List<Path>> files)
            throws IOException {
        ExtendedBlock block = located.getBlock();
        // Where there are no more DataNodes than replicas, HDFS cannot replace a bad one.
        boolean spoilt = flipped.isIn(block.getBlockId());
        int known = located.getLocations().length;
        if (spoilt ? known == 0 : known != replication || located.isCorrupt()) {
            return missing(
                    block,
                    " has " + known + " of " + replication + " replicas at the NameNode"
                            + (located.isCorrupt() ? ", and is corrupt" : ""));
        }
        List<Path> replicas = files.getOrDefault(block.getBlockName(), List.of()).stream()
                .filter(file -> !isUnfinished(file))
                .toList();
        // A move may leave a DataNode with two.
        long with = datanodes.stream()
                .filter(datanode -> replicas.stream().anyMatch(replica -> replica.startsWith(datanode)))
                .count();
        if (with < (spoilt ? known : replication)) {
            return missing(block, " has " + with + " of " + replication + " replicas in the volumes");
        }
        for (Path replica : replicas) {
            String wrong = wrong(replica, located, written);
            if (!wrong.isEmpty()) {
                return Optional.of(new Fault(Kind.WRONG, block.getBlockId(), replica + " of " + block + " " + wrong));
            }
        }
        return Optional.empty();
    }

    private static Optional<Fault> missing(ExtendedBlock block, String what) {
        return Optional.of(new Fault(Kind.MISSING, block.getBlockId(), block + what));
    }

    private String wrong(Path replica, LocatedBlock located, Written written) throws IOException {
        byte[] data = Files.readAllBytes(replica);
        if (data.length != located.getBlockSize()) {
            return "has " + data.length + " bytes, not " + located.getBlockSize();
        }
        byte[] expected = new byte[data.length];
        written.fill(located.getStartOffset(), expected);
        long block = located.getBlock().getBlockId();
        int differs = Arrays.mismatch(data, expected);
        if (differs >= 0 && flipped.explains(block, differs, expected[differs], data[differs])) {
            data[differs] = expected[differs];
            differs = Arrays.mismatch(data, expected);
        }
        if (differs >= 0) {
            return "differs from what was written at byte " + differs;
        }
        Path meta = replica.resolveSibling(
                replica.getFileName() + "_" + located.getBlock().getGenerationStamp() + ".meta");
        if (!Files.exists(meta)) {
            return "has another generation stamp";
        }
        // A cut takes the checksum of the last bytes anew, from what is there.
        return flipped.isIn(block) ? "" : wrongSums(data, meta);
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

    /**
     * Whether it is a copy of a replica that has not become one: of a move between volumes, or of the last block of a file that is cut
     * and that a snapshot has. Stock HDFS leaves the latter until the DataNode starts again where it fails, as on a full volume.
     */
    public static boolean isCopy(Path file) {
        return file.toString().contains("/tmp/subdir");
    }

    /** All files of replicas by their name, such as {@code blk_7}, also those that are being written, but no copies. */
    public Map<String, List<Path>> files() throws IOException {
        Map<String, List<Path>> files = new HashMap<>();
        for (Path datanode : datanodes) {
            try (Stream<Path> tree = Files.walk(datanode)) {
                tree.filter(file -> file.getFileName().toString().startsWith("blk_"))
                        .filter(file -> !isCopy(file))
                        .forEach(
                                file -> files.computeIfAbsent(file.getFileName().toString(), fresh -> new ArrayList<>())
                                        .add(file));
            } catch (UncheckedIOException | NoSuchFileException moved) {
                // Files come and go: the caller looks again.
                throw new IOException("files of " + datanode + " are moving", moved);
            }
        }
        return files;
    }
}
