package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.PolicyGaps;
import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.protocol.StampedBlock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The NameNode's maps in memory: every candidate is fit, unless the block's holders or a verdict are set. */
public final class FakeNamespaceView implements NamespaceView {

    public final Map<Long, Verdict> verdicts = new HashMap<>();
    private final Map<Long, Located> stored = new HashMap<>();
    public int lockBlocks = 256;
    final Map<Long, List<Located>> files = new HashMap<>();
    /** By directory; those below it. */
    final Map<Long, List<Located>> below = new HashMap<>();

    final Map<Long, Named> named = new HashMap<>();
    final Map<Long, Long> lengths = new HashMap<>();
    final List<Long> lengthsAsked = new ArrayList<>();
    final Map<Long, Placed> places = new HashMap<>();
    /** By block. */
    final Map<Long, PathAnnotations> annotations = new HashMap<>();

    long annotationsVersion;
    List<AnnotatedDirectory> writeAnnotations = List.of();
    long writeAnnotationsVersion;
    final Map<String, Map<StorageTier, VolumeSpace>> spaces = new HashMap<>();
    long spacesAgeMs = Long.MAX_VALUE;

    @Nullable
    String upgrade;

    /** Why DataNodes leave, by UUID. */
    final Map<String, String> leaving = new HashMap<>();

    PolicyGaps gaps = PolicyGaps.NONE;
    int placeLooks;
    /** Whether reviews may. */
    boolean mayLook = true;
    /** So many looks at places may be made for {@link Asker#VOLUMES}. */
    int volumeLooksLeft = Integer.MAX_VALUE;
    /** Whether offers may be looked at, besides. */
    boolean offersMayLook = true;
    /** Whether those may who judge reports. */
    boolean reportsMayLook = true;
    /** {@link #placed}, by asker. */
    final Map<Asker, Integer> placeLooksBy = new EnumMap<>(Asker.class);
    /** {@link #names}, by asker. */
    final Map<Asker, Integer> pathLooksBy = new EnumMap<>(Asker.class);

    public int looks;
    public int pathLooks;
    int holderLooks;
    int partLooks;
    public int asked;
    int mostInOneLook;
    int directoryLooks;
    boolean safeMode;

    /** From now on these DataNodes alone hold the block, as it is. */
    public void store(StampedBlock block, FakeDataNode... holders) {
        List<String> nodes = Stream.of(holders).map(holder -> holder.uuid).toList();
        stored.put(block.id(), new Located(block, block.id(), nodes));
    }

    private Verdict verdict(Candidate candidate) {
        Located located = stored.get(candidate.block().id());
        if (located == null) {
            return Verdict.FIT;
        }
        if (!located.block().equals(candidate.block())) {
            return Verdict.CHANGED;
        }
        return located.nodes().contains(candidate.node()) ? Verdict.FIT : Verdict.NO_REPLICA;
    }

    @Override
    public int lockBlocks() {
        return lockBlocks;
    }

    @Override
    public NamespaceView askedBy(Asker asker) {
        return (NamespaceView) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {NamespaceView.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "mayLook":
                            return mayLook(asker);
                        case "placed":
                            placeLooksBy.merge(asker, 1, Integer::sum);
                            volumeLooksLeft -= asker == Asker.VOLUMES ? 1 : 0;
                            break;
                        case "names":
                            pathLooksBy.merge(asker, 1, Integer::sum);
                            break;
                        default:
                    }
                    try {
                        return method.invoke(this, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private boolean mayLook(Asker asker) {
        return switch (asker) {
            case REVIEWS, SATISFY -> mayLook;
            case VOLUMES -> mayLook && volumeLooksLeft > 0;
            case OFFERS -> mayLook && offersMayLook;
            case REPORTS -> reportsMayLook;
            case ORDERS, OTHERS -> true;
        };
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        looks++;
        asked += candidates.size();
        mostInOneLook = Math.max(mostInOneLook, candidates.size());
        List<Verdict> answers = new ArrayList<>();
        for (Candidate candidate : candidates) {
            answers.add(verdicts.getOrDefault(candidate.block().id(), verdict(candidate)));
        }
        return answers;
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> blocks) {
        holderLooks++;
        mostInOneLook = Math.max(mostInOneLook, blocks.size());
        List<List<String>> answers = new ArrayList<>();
        for (StampedBlock block : blocks) {
            Located located = stored.get(block.id());
            answers.add(located != null && located.block().equals(block) ? located.nodes() : List.of());
        }
        return answers;
    }

    @Override
    public List<Named> names(List<Long> blocks) {
        pathLooks++;
        mostInOneLook = Math.max(mostInOneLook, blocks.size());
        List<Named> names = new ArrayList<>();
        for (long block : blocks) {
            Named file = named.get(block);
            names.add(
                    file == null
                            ? null
                            : new Named(
                                    file.inode(), file.path(), annotationsOf(block), file.inputBytes(), file.begins()));
        }
        return names;
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> blocks) {
        placeLooks++;
        mostInOneLook = Math.max(mostInOneLook, blocks.size());
        List<@Nullable Placed> found = new ArrayList<>();
        for (long block : blocks) {
            Placed at = places.get(block);
            found.add(
                    at == null
                            ? null
                            : new Placed(
                                    at.block(),
                                    at.path(),
                                    annotationsOf(block),
                                    at.obstacle(),
                                    at.replicas(),
                                    at.quotaTiers(),
                                    at.unreadMs()));
        }
        return found;
    }

    private PathAnnotations annotationsOf(long block) {
        return annotations.getOrDefault(block, PathAnnotations.NONE);
    }

    @Override
    public long writeAnnotationsVersion() {
        return writeAnnotationsVersion;
    }

    @Override
    public List<AnnotatedDirectory> writeAnnotations(List<String> known, int most) {
        looks++;
        return Stream.concat(
                        writeAnnotations.stream().filter(directory -> known.contains(directory.path())),
                        writeAnnotations.stream().filter(directory -> !known.contains(directory.path())))
                .limit(most)
                .toList();
    }

    @Override
    public long annotationsVersion() {
        return annotationsVersion;
    }

    @Override
    public PolicyGaps policyGaps() {
        return gaps;
    }

    @Override
    public @Nullable String stopsVolumeMoves() {
        return upgrade;
    }

    @Override
    public @Nullable String leaving(String node) {
        return leaving.get(node);
    }

    @Override
    public Map<StorageTier, VolumeSpace> volumes(String node) {
        return spaces.getOrDefault(node, Map.of());
    }

    @Override
    public long volumesAgeMs(String node) {
        return spacesAgeMs;
    }

    @Override
    public long lengthOf(long inode) {
        lengthsAsked.add(inode);
        return lengths.getOrDefault(inode, -1L);
    }

    @Override
    public @Nullable Below below(long directory, @Nullable Position from) {
        if (safeMode) {
            return null;
        }
        directoryLooks++;
        List<Located> all = below.getOrDefault(directory, List.of());
        int begin = from == null ? 0 : from.block();
        int end = Math.min(all.size(), begin + lockBlocks());
        return new Below(all.subList(begin, end), end < all.size() ? new Position(List.of(), end) : null);
    }

    @Override
    public List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        partLooks++;
        mostInOneLook = Math.max(mostInOneLook, inodes.size() * most);
        List<@Nullable FilePart> parts = new ArrayList<>();
        for (int i = 0; i < inodes.size(); i++) {
            List<Located> all = files.getOrDefault(inodes.get(i), List.of());
            int end = Math.min(all.size(), from.get(i) + most);
            parts.add(all.isEmpty() ? null : new FilePart(all.size(), new ArrayList<>(all.subList(from.get(i), end))));
        }
        return parts;
    }

    @Override
    public long blockCount(Collection<Long> inodes) {
        return inodes.stream()
                .mapToLong(inode -> files.getOrDefault(inode, List.of()).size())
                .sum();
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return inodes.stream()
                .flatMap(inode -> files.getOrDefault(inode, List.of()).stream())
                .limit(limit)
                .toList();
    }
}
