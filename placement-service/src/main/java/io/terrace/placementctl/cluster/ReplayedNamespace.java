package io.terrace.placementctl.cluster;

import io.terrace.common.PathGlob;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.NamespaceView;
import io.terrace.policy.firstread.FileBlocks;
import io.terrace.policy.replay.Trace;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The blocks of a {@link Trace}, where their replicas are, and which rule holds for them. A block has its greatest length. */
public final class ReplayedNamespace implements NamespaceView {

    private final StampedBlock[] blocks;
    private final int[][] holders;
    private final Paths paths;

    /**
     * What is known of the paths of objects.
     *
     * @param rules by object the number of the rule for its path, 0 or below where none holds
     * @param directories by object a number that objects of like directories have in common, 0 where it is not known
     * @param files which objects are blocks of one file; null where that is not known
     */
    public record Paths(IntUnaryOperator rules, IntToLongFunction directories, @Nullable FileBlocks files) {

        /** Of which nothing is known. */
        public static final Paths NONE = new Paths(object -> 0, object -> 0, null);
    }

    /** @param holders the DataNodes of each object, at least one */
    public ReplayedNamespace(Trace trace, int[][] holders, Paths paths) {
        this.holders = holders;
        this.paths = paths;
        long[] lengths = new long[trace.objects()];
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            lengths[object] = Math.max(lengths[object], trace.size(row));
        }
        blocks = new StampedBlock[trace.objects()];
        for (int object = 0; object < blocks.length; object++) {
            blocks[object] = new StampedBlock(object, 1, lengths[object]);
        }
    }

    /**
     * The first replicas on a few DataNodes, as a load from a few hosts leaves them, the others anywhere; fixed by the seed.
     *
     * @param loaded DataNodes that hold the first replicas
     */
    public static ReplayedNamespace drawn(Trace trace, int nodes, int replication, int loaded, long seed) {
        int[][] holders = new int[trace.objects()][];
        for (int object = 0; object < holders.length; object++) {
            holders[object] = draw(object, nodes, replication, loaded, seed);
        }
        return new ReplayedNamespace(trace, holders, Paths.NONE);
    }

    /** The DataNodes of one object. */
    public static int[] draw(int object, int nodes, int replication, int loaded, long seed) {
        int[] drawn = new int[replication];
        for (int replica = 0; replica < replication; replica++) {
            long hash = HashCommon.murmurHash3(seed ^ HashCommon.mix((long) object * replication + replica));
            int node = (int) Math.floorMod(hash, replica == 0 ? loaded : nodes);
            while (isAmong(drawn, replica, node)) {
                node = (node + 1) % nodes;
            }
            drawn[replica] = node;
        }
        return drawn;
    }

    private static boolean isAmong(int[] nodes, int first, int node) {
        for (int i = 0; i < first; i++) {
            if (nodes[i] == node) {
                return true;
            }
        }
        return false;
    }

    StampedBlock block(int object) {
        return blocks[object];
    }

    /** The DataNodes that hold an object. */
    int[] holders(int object) {
        return holders[object];
    }

    boolean isHeldBy(int object, int node) {
        return isAmong(holders[object], holders[object].length, node);
    }

    /** A policy whose rules hold for the objects that they held for by path. */
    public static PolicySpec byNumber(PolicySpec spec) {
        List<PathRule> rules = new ArrayList<>();
        for (PathRule rule : spec.rules()) {
            rules.add(new PathRule(
                    rule.number(),
                    PathGlob.of(directory(rule.number()) + "/**"),
                    rule.place(),
                    rule.weight(),
                    rule.size(),
                    rule.pool(),
                    rule.mostBytes(),
                    null,
                    rule.writeToMemory(),
                    false,
                    Set.of(),
                    false));
        }
        return new PolicySpec(spec.policy(), spec.parameters(), spec.size(), spec.pools(), rules, spec.text());
    }

    private static String directory(int rule) {
        return "/rule" + Math.max(0, rule);
    }

    @Override
    public List<@Nullable Named> names(List<Long> asked) {
        List<@Nullable Named> names = new ArrayList<>(asked.size());
        for (long block : asked) {
            int object = (int) block;
            String path = directory(paths.rules.applyAsInt(object)) + letters(object) + "/" + block;
            names.add(new Named(inode(block), path, PathAnnotations.NONE, 0, begins(object)));
        }
        return names;
    }

    /** A directory for objects of like ones; digits would say that they are all alike. Each is alone where it is not known. */
    private String letters(int object) {
        long directory = paths.directories.applyAsLong(object);
        StringBuilder name = new StringBuilder(directory == 0 ? "/alone-" : "/");
        for (long rest = directory == 0 ? object : directory; rest != 0; rest >>>= 4) {
            name.append((char) ('a' + (rest & 15)));
        }
        return name.toString();
    }

    private boolean begins(int object) {
        FileBlocks files = paths.files;
        long file = files == null ? -1 : files.file(object);
        return files != null && file >= 0 && files.index(object) == 0 && files.blocks(file) > 1;
    }

    @Override
    public List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        List<@Nullable FilePart> parts = new ArrayList<>(inodes.size());
        for (int i = 0; i < inodes.size(); i++) {
            parts.add(part((int) (inodes.get(i) - 1), from.get(i), most));
        }
        return parts;
    }

    private @Nullable FilePart part(int first, int from, int most) {
        FileBlocks files = paths.files;
        if (files == null) {
            return null;
        }
        long file = files.file(first);
        List<@Nullable Located> located = new ArrayList<>();
        for (int index = from; index < Math.min(files.blocks(file), from + most); index++) {
            int object = (int) files.block(file, index);
            located.add(new Located(block(object), inode(first), names(object)));
        }
        return new FilePart(files.blocks(file), located);
    }

    /** Each object is a file; one that begins a file of several stands for it. */
    private static long inode(long block) {
        return block + 1;
    }

    @Override
    public long lengthOf(long inode) {
        return block((int) inode - 1).lengthBytes();
    }

    @Override
    public int lockBlocks() {
        return 256;
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        return candidates.stream()
                .map(candidate -> isHeldBy((int) candidate.block().id(), Integer.parseInt(candidate.node()))
                        ? Verdict.FIT
                        : Verdict.NO_REPLICA)
                .toList();
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> asked) {
        List<List<String>> holders = new ArrayList<>(asked.size());
        for (StampedBlock block : asked) {
            holders.add(names((int) block.id()));
        }
        return holders;
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        List<Located> located = new ArrayList<>();
        for (long inode : inodes) {
            if (located.size() < limit) {
                int object = (int) inode - 1;
                located.add(new Located(block(object), inode, names(object)));
            }
        }
        return located;
    }

    @Override
    public long blockCount(Collection<Long> inodes) {
        return inodes.size();
    }

    private List<String> names(int object) {
        return Arrays.stream(holders[object]).mapToObj(Integer::toString).toList();
    }
}
