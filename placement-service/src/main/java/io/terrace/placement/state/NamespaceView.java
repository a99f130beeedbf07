package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.protocol.StampedBlock;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the loop asks of the NameNode's maps. The NameNode's own implementation takes the read lock for a bounded number
 * of blocks at a time; simulations have one in memory.
 */
public interface NamespaceView {

    /** Whether a block may be copied into the memory of a DataNode. */
    enum Verdict {
        FIT("fit"),
        /** The NameNode cannot say now, e.g. in safe mode: ask again. */
        UNKNOWN("the NameNode is in safe mode"),
        GONE("the block is deleted"),
        CHANGED("the block has another generation stamp or length"),
        /** So it has no replica yet that could be copied; the DataNode is in its pipeline, as far as is known. */
        UNDER_CONSTRUCTION("the block is being written or recovered"),
        ERASURE_CODED("the block is erasure-coded"),
        NO_REPLICA("the DataNode holds no healthy replica");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /** Whether no such replica is there; else there is one, or the NameNode cannot say yet. */
        public boolean refutes() {
            return this == GONE || this == CHANGED || this == NO_REPLICA;
        }
    }

    /** What looks are for: it decides which wait while the NameNode's lock is held for too much of the time. */
    enum Asker {
        /** Just before an order that a policy, a rule or an operator wants. They never wait. */
        ORDERS,
        /** To judge what a heartbeat reports; what is not looked at counts later or not at all. */
        REPORTS,
        /** To find out what changed: what is known already and looked up once more, and what is read ahead. */
        REVIEWS,
        /** Where the replicas are that a rule keeps in a range of tiers. */
        VOLUMES,
        /** Walks for replicas that are off their storage policy. */
        SATISFY,
        /** Replicas that DataNodes offer. They wait first. */
        OFFERS,
        /** Operators and the log of accesses. They never wait. */
        OTHERS
    }

    /** A block that is wanted in the memory of a DataNode. */
    record Candidate(StampedBlock block, String node) {}

    /**
     * A complete, replicated block and the DataNodes that hold it.
     *
     * @param inode id of the file it belongs to
     */
    record Located(StampedBlock block, long inode, List<String> nodes) {

        public Located {
            nodes = List.copyOf(nodes);
        }
    }

    /** The most blocks that one call may ask about: it holds the NameNode's read lock. */
    int lockBlocks();

    /** The same maps, whose looks are counted as those of that asker. */
    default NamespaceView askedBy(Asker asker) {
        return this;
    }

    /**
     * Whether this asker may look now: the lock was held for so little of the time of late that clients do not notice, or
     * its looks do not wait.
     */
    default boolean mayLook() {
        return true;
    }

    /**
     * The file that a block belongs to.
     *
     * @param path absolute, without a trailing slash
     * @param annotations of the file and the directories above it
     * @param inputBytes about so large is the file; 0 where it has no more than one block
     * @param begins whether the block is the first of several
     */
    record Named(long inode, String path, PathAnnotations annotations, long inputBytes, boolean begins) {

        /** A file, with a block that is not its first one, or its only one. */
        public Named(long inode, String path, PathAnnotations annotations, long inputBytes) {
            this(inode, path, annotations, inputBytes, false);
        }

        /** A file of one block. */
        public Named(long inode, String path, PathAnnotations annotations) {
            this(inode, path, annotations, 0);
        }

        /** A file without annotations. */
        public Named(long inode, String path) {
            this(inode, path, PathAnnotations.NONE);
        }
    }

    /**
     * Another number whenever it was noticed that annotations changed, in addition to what the next look at a file shows
     * anyway; asked once a second.
     */
    default long annotationsVersion() {
        return 0;
    }

    /** A directory with an annotation of its own that decides on new files below it, and its annotations. */
    record AnnotatedDirectory(String path, PathAnnotations annotations) {}

    /** Another number whenever {@link #writeAnnotations} may answer otherwise, as far as that is noticed. */
    default long writeAnnotationsVersion() {
        return 0;
    }

    /**
     * Directories whose annotations decide on new files below them.
     *
     * @param known those of the last answer, which are looked at first
     * @param most in all; besides the known ones, those that were seen last
     */
    default List<AnnotatedDirectory> writeAnnotations(List<String> known, int most) {
        return List.of();
    }

    /**
     * The files of blocks, in their order, of which there are at most {@link #lockBlocks}; null where the
     * block is gone. A view without names knows none, so rules by path never let anything of it be promoted.
     */
    default List<@Nullable Named> names(List<Long> blocks) {
        return Collections.nCopies(blocks.size(), null);
    }

    /** The length of a file, which may cost a look at each of its blocks; -1 when it is gone. */
    default long lengthOf(long inode) {
        return -1;
    }

    /**
     * A replica of a block.
     *
     * @param node UUID of the DataNode
     * @param tier of the volume that it is on; null for RAM_DISK and PROVIDED storage
     * @param obstacle why it may not be moved; null if it may
     */
    record PlacedReplica(String node, @Nullable StorageTier tier, @Nullable String obstacle) {}

    /**
     * A block, its file and where its replicas are.
     *
     * @param path of the file
     * @param annotations of the file and the directories above it
     * @param obstacle why none of the replicas may be moved; null if they may
     * @param quotaTiers the tiers of the file's storage policy, where a directory above it has a quota by storage type: HDFS
     *     counts by policy, so replicas elsewhere would use what nobody gave them. Null without such a quota
     * @param unreadMs for so long at least nobody has opened the file, by HDFS's access time; -1 where HDFS keeps none
     */
    record Placed(
            StampedBlock block,
            String path,
            PathAnnotations annotations,
            @Nullable String obstacle,
            List<PlacedReplica> replicas,
            @Nullable List<StorageTier> quotaTiers,
            long unreadMs) {

        public Placed {
            replicas = List.copyOf(replicas);
            quotaTiers = quotaTiers == null ? null : List.copyOf(quotaTiers);
        }

        /** A block without a quota by storage type and without an access time. */
        public Placed(
                StampedBlock block,
                String path,
                PathAnnotations annotations,
                @Nullable String obstacle,
                List<PlacedReplica> replicas) {
            this(block, path, annotations, obstacle, replicas, null, -1);
        }

        /** The same, of which none may be moved. */
        public Placed stopped(String why) {
            return new Placed(block, path, annotations, why, replicas, quotaTiers, unreadMs);
        }

        /** The same with other replicas. */
        public Placed withReplicas(List<PlacedReplica> others) {
            return new Placed(block, path, annotations, obstacle, others, quotaTiers, unreadMs);
        }

        /** A block of a file without annotations. */
        public Placed(StampedBlock block, String path, @Nullable String obstacle, List<PlacedReplica> replicas) {
            this(block, path, PathAnnotations.NONE, obstacle, replicas);
        }

        /** Why what a DataNode has of the block may not be moved; null if it may. */
        public @Nullable String obstacleOn(String node) {
            PlacedReplica replica = on(node);
            return obstacle != null || replica == null ? obstacle : replica.obstacle;
        }

        /** The replica on a DataNode; null if there is none. */
        public @Nullable PlacedReplica on(String node) {
            for (PlacedReplica replica : replicas) {
                if (replica.node.equals(node)) {
                    return replica;
                }
            }
            return null;
        }
    }

    /**
     * Where the replicas of blocks are, in the order of the blocks, of which there are at most {@link #lockBlocks}; null
     * where the block is gone. Empty while the NameNode cannot say, and for a view that does not know.
     */
    default List<@Nullable Placed> placed(List<Long> blocks) {
        return List.of();
    }

    /**
     * A block and where the storage policy of its file wants its replicas.
     *
     * @param policy name of the storage policy
     * @param tiers one for each replica; empty if the policy keeps some on RAM_DISK or PROVIDED storage
     */
    record Home(Placed placed, String policy, List<StorageTier> tiers) {

        public Home {
            tiers = List.copyOf(tiers);
        }
    }

    /** As {@link #placed}, with the storage policy. */
    default List<@Nullable Home> homes(List<Long> blocks) {
        return List.of();
    }

    /** Walks for replicas that are off their storage policy; always the same object. */
    default PolicyGaps policyGaps() {
        return PolicyGaps.NONE;
    }

    /** Why no replica may be moved between volumes now, e.g. an upgrade; null if they may. */
    default @Nullable String stopsVolumeMoves() {
        return null;
    }

    /** Why a DataNode will not keep what it holds: it is decommissioned or enters maintenance; null while it is in service. */
    default @Nullable String leaving(String node) {
        return null;
    }

    /** Room on the volumes of one tier of a DataNode, as it reported last. */
    record VolumeSpace(long capacityBytes, long remainingBytes) {}

    /** The volumes of a DataNode by tier, those of RAM_DISK and PROVIDED storage left out. */
    default Map<StorageTier, VolumeSpace> volumes(String node) {
        return Map.of();
    }

    /** How long ago a DataNode reported its volumes; the greatest number while that is not known. */
    default long volumesAgeMs(String node) {
        return Long.MAX_VALUE;
    }

    /**
     * The UUIDs of the DataNodes that hold a healthy replica of blocks and are in service, in the order of the blocks, of which
     * there are at most {@link #lockBlocks}; none where there is no such complete, replicated block. Empty while the NameNode
     * cannot say, and for a view that does not know.
     */
    default List<List<String>> holders(List<StampedBlock> blocks) {
        return List.of();
    }

    /** Verdicts in the order of the candidates, of which there are at most {@link #lockBlocks}. */
    List<Verdict> examine(List<Candidate> candidates);

    /**
     * The complete replicated blocks of files, at most {@code limit} in all; files that are gone are left out.
     *
     * @param inodes ids of files
     */
    List<Located> blocksOf(Collection<Long> inodes, int limit);

    /**
     * Some blocks of a file in a row.
     *
     * @param blocks how many the file has
     * @param part from the index on that was asked for; null where a block is not complete
     */
    record FilePart(int blocks, List<@Nullable Located> part) {}

    /**
     * The next blocks of some files, in the order of the questions, {@code most} of each at most and {@link #lockBlocks} in all;
     * null where a file is gone or erasure-coded.
     *
     * @param inodes ids of files
     * @param from the index of the first block that is wanted of each
     */
    default List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        return Collections.nCopies(inodes.size(), null);
    }

    /** How many blocks files have, of any kind; files that are gone have none. */
    default long blockCount(Collection<Long> inodes) {
        return 0;
    }

    /**
     * What one look found below a directory.
     *
     * @param blocks complete and replicated
     * @param next where to go on; null at the end
     */
    record Below(List<Located> blocks, @Nullable Position next) {

        public Below {
            blocks = List.copyOf(blocks);
        }
    }

    /**
     * Looks at some files below a directory, with one hold of the lock, at most {@link #lockBlocks} files, directories and
     * blocks.
     *
     * @param directory its inode id; there is nothing below one that is gone
     * @param from where the last look ended; null to begin
     * @return null while the NameNode cannot say, e.g. in safe mode
     */
    default @Nullable Below below(long directory, @Nullable Position from) {
        return new Below(List.of(), null);
    }
}
