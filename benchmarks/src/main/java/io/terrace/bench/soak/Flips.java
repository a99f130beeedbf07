package io.terrace.bench.soak;

import io.terrace.bench.faults.WrittenReplicas;
import io.terrace.bench.soak.logs.RecoveryLine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bits that were flipped behind the back of DataNodes. Thread-safe. */
final class Flips implements WrittenReplicas.Flipped {
    /**
     * A scrub of all copies begins within a second of the last one, and takes less than that. But the DataNode may be stopped for
     * twelve seconds meanwhile, and so may the reader before it says what it read.
     */
    private static final long SCRUBBED_WITHIN_NS = TimeUnit.SECONDS.toNanos(45);

    private static final Pattern REPLICA = Pattern.compile("blk_(\\d+)");
    private static final Pattern META = Pattern.compile("blk_(\\d+)_(\\d+)\\.meta");
    private static final Pattern COPY = Pattern.compile("blk_(\\d+)_(\\d+)_\\d+");

    private final Set<String> flippedBlocks = new HashSet<>();
    private final Map<Long, ReplicaFlip> inReplicas = new HashMap<>();
    private final List<Flip> inMemory = new ArrayList<>();

    private record Flip(long block, long offset, int mask, long atNs) {}

    private record Bit(long offset, int mask) {}

    /**
     * A bit that was flipped in a replica.
     *
     * @param stamp generation stamp that the block had
     * @param offset in the block
     * @param volumes of all DataNodes
     */
    record ReplicaFlip(long block, long stamp, long offset, int mask, List<Path> volumes) {
        ReplicaFlip {
            volumes = List.copyOf(volumes);
        }

        /** All files that hold a block now, this one or its copy, but for those that a DataNode is just given. */
        List<Path> replicasOf(long number) throws IOException {
            String name = "blk_" + number;
            List<Path> found = new ArrayList<>();
            for (Path volume : volumes) {
                for (Path file : files(volume, REPLICA)) {
                    if (file.getFileName().toString().equals(name)
                            && !file.toString().contains("/tmp/blk_")) {
                        found.add(file);
                    }
                }
            }
            return found;
        }
    }

    /**
     * Flips a bit of a finalised replica. A block is damaged at most once, and only if all its other replicas are whole, so
     * that HDFS has a replica to go on with.
     *
     * @param volumes of all DataNodes
     * @param victim index of the one whose replica is damaged
     */
    synchronized boolean flipReplica(List<Path> volumes, int victim, long draw) throws IOException {
        // A replica that is being moved is on two volumes of its DataNode.
        Map<String, Set<Integer>> holders = new HashMap<>();
        List<Path> candidates = new ArrayList<>();
        for (int i = 0; i < volumes.size(); i++) {
            for (Path file : files(volumes.get(i), REPLICA)) {
                if (file.toString().contains("/finalized/")) {
                    holders.computeIfAbsent(file.getFileName().toString(), fresh -> new HashSet<>())
                            .add(i);
                    if (i == victim) {
                        candidates.add(file);
                    }
                }
            }
        }
        candidates.removeIf(file ->
                holders.getOrDefault(file.getFileName().toString(), Set.of()).size() < 3
                        || flippedBlocks.contains(file.getFileName().toString()));
        Optional<Path> file = pick(candidates, draw);
        if (file.isEmpty()) {
            return false;
        }
        String name = file.get().getFileName().toString();
        Optional<Long> stamp = stampBeside(file.get());
        Optional<Bit> bit = flip(file.get(), draw);
        if (bit.isEmpty()) {
            return false;
        }
        flippedBlocks.add(name);
        if (stamp.isPresent()) {
            long block = Long.parseLong(name.substring(name.indexOf('_') + 1));
            Bit there = bit.get();
            inReplicas.put(block, new ReplicaFlip(block, stamp.get(), there.offset(), there.mask(), volumes));
        }
        return true;
    }

    /** The generation stamp of a replica; empty if it is just getting another. */
    private static Optional<Long> stampBeside(Path replica) throws IOException {
        String prefix = replica.getFileName() + "_";
        return files(replica.resolveSibling(""), META).stream()
                .map(meta -> META.matcher(meta.getFileName().toString()))
                .filter(meta -> meta.matches() && meta.group().startsWith(prefix))
                .map(meta -> Long.parseLong(meta.group(2)))
                .findFirst();
    }

    /** What was flipped in a replica of the block. */
    synchronized Optional<ReplicaFlip> ofReplica(long block) {
        return Optional.ofNullable(inReplicas.get(block));
    }

    /** A recovery made a new block of what was left of an old one, with its flipped bit. */
    synchronized void copied(RecoveryLine recovery) {
        ReplicaFlip flip = inReplicas.get(recovery.block());
        if (flip != null && recovery.isCopy()) {
            inReplicas.putIfAbsent(
                    recovery.newBlock(),
                    new ReplicaFlip(recovery.newBlock(), flip.stamp(), flip.offset(), flip.mask(), flip.volumes()));
        }
    }

    @Override
    public boolean isIn(long block) {
        return ofReplica(block).isPresent();
    }

    @Override
    public boolean explains(long block, long offset, int expected, int actual) {
        return ofReplica(block)
                .filter(flip -> flip.offset() == offset && flip.mask() == ((expected ^ actual) & 0xff))
                .isPresent();
    }

    /** Flips a bit of a copy in the memory directory of a DataNode. */
    synchronized boolean flipMemory(Path memory, long draw) throws IOException {
        Optional<Path> file = pick(files(memory, COPY), draw);
        Optional<Bit> bit = file.isEmpty() ? Optional.empty() : flip(file.get(), draw);
        if (bit.isEmpty()) {
            return false;
        }
        inMemory.add(new Flip(blockOf(file.get()), bit.get().offset(), bit.get().mask(), System.nanoTime()));
        return true;
    }

    /**
     * Whether a reader of memory without checksums may have seen this byte: a scrub has not had the time to find it.
     *
     * @param block its number
     * @param offset in the block
     */
    synchronized boolean explainsInMemory(long block, long offset, int expected, int actual) {
        long nowNs = System.nanoTime();
        return inMemory.stream()
                .anyMatch(flip -> flip.block() == block
                        && flip.offset() == offset
                        && flip.mask() == (expected ^ actual)
                        && nowNs - flip.atNs() < SCRUBBED_WITHIN_NS);
    }

    /** Whether a bit of a copy of the block in memory was flipped. */
    synchronized boolean wasInMemory(long block) {
        return inMemory.stream().anyMatch(flip -> flip.block() == block);
    }

    private static Optional<Path> pick(List<Path> files, long draw) {
        return files.isEmpty() ? Optional.empty() : Optional.of(files.get((int) Math.floorMod(draw, files.size())));
    }

    private static long blockOf(Path copy) {
        Matcher matcher = COPY.matcher(copy.getFileName().toString());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(copy + " is no copy of a block");
        }
        return Long.parseLong(matcher.group(1));
    }

    private static Optional<Bit> flip(Path file, long draw) throws IOException {
        SplittableRandom random = new SplittableRandom(draw);
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        boolean sealed = !permissions.contains(PosixFilePermission.OWNER_WRITE);
        if (sealed) {
            Set<PosixFilePermission> more = new HashSet<>(permissions);
            more.add(PosixFilePermission.OWNER_WRITE);
            Files.setPosixFilePermissions(file, more);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() == 0) {
                return Optional.empty();
            }
            long at = random.nextLong(channel.size());
            int mask = 1 << random.nextInt(8);
            ByteBuffer one = ByteBuffer.allocate(1);
            if (channel.read(one, at) != 1) {
                return Optional.empty();
            }
            one.put(0, (byte) (one.get(0) ^ mask)).flip();
            channel.write(one, at);
            return Optional.of(new Bit(at, mask));
        } finally {
            if (sealed && Files.exists(file)) {
                Files.setPosixFilePermissions(file, permissions);
            }
        }
    }

    private static List<Path> files(Path root, Pattern name) throws IOException {
        return LiveFiles.below(root).stream()
                .filter(file -> name.matcher(file.getFileName().toString()).matches())
                .sorted()
                .toList();
    }
}
