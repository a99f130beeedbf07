package io.terrace.placement.move;

import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.FilePart;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.policy.firstread.DirectoryPattern;
import io.terrace.policy.firstread.ReadAheadModel;
import io.terrace.policy.firstread.ReadAheadModel.Range;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows readers through files of several blocks and has blocks copied into memory ahead of them, where such files are read on
 * once they are begun ({@link ReadAheadModel}).
 *
 * <p>The file of a block is looked up when the block is read, with the quotas of rules, and then not again for about an hour
 * unless it is the first one of its file. Of a file that is begun so, the next {@value #PART} blocks are looked up at a time, of all
 * files in one look a turn; nothing of directories whose readers are known to stop. What was learned is forgotten when another
 * NameNode decides. Owned by the loop's thread.
 */
final class ReadAhead {

    static final int PART = 16;

    /** For so long at most, and half of it at least, the file of a block is not looked up again. */
    private static final long PASSED_OVER_MS = 5_400_000;

    /** Other DataNodes may report their blocks so much sooner than the first one is reported. */
    private static final long REPORTS_MS = 2_000;

    private static final int MOST_FILES = 1_024;
    private static final int MOST_KNOWN = 4_096;
    private static final int MOST_PASSED_OVER = 150_000;

    /** Of all files that are followed; beyond, the one that comes last is not followed any more. */
    private static final int MOST_PLACES = 100_000;

    /** Is told of blocks that readers are on the way to. */
    interface Readers {
        void come(long nowMs, Next next);
    }

    /**
     * A block that a reader is on the way to.
     *
     * @param holders DataNodes that report
     * @param lookedMs when the NameNode named them
     * @param pool of the blocks of its file, as far as is known
     * @param worth of a copy, in reads for each byte and millisecond
     * @param reason for a copy
     */
    record Next(
            StampedBlock block, List<DataNodeState> holders, long lookedMs, int pool, double worth, String reason) {}

    private final boolean isOn;
    private final int mostAhead;
    private final ClusterState clusterState;
    private final NamespaceView view;
    private final Readers readers;
    private final ReadAheadModel model;
    private final Map<Long, Followed> files = new HashMap<>();
    /** By block id. */
    private final Map<Long, Place> places = new HashMap<>();

    private final Set<Followed> toLook = new LinkedHashSet<>();
    /** Whose file was looked up. */
    private final RecentBlocks passedOver = new RecentBlocks(PASSED_OVER_MS, MOST_PASSED_OVER);

    private record Place(Followed file, int index) {}

    private static final class Followed {
        private final long inode;
        private final String directory;
        private final long begunMs;
        private final List<@Nullable Located> blocks = new ArrayList<>();
        private final List<Long> ids = new ArrayList<>();
        private int count;
        private int pool;
        private long lookedMs;

        Followed(long inode, String directory, long begunMs) {
            this.inode = inode;
            this.directory = directory;
            this.begunMs = begunMs;
        }

        boolean lacks(int index) {
            return blocks.size() < count && index >= blocks.size();
        }
    }

    ReadAhead(FirstReadSettings settings, ClusterState clusterState, NamespaceView view, Readers readers) {
        this.isOn = settings.isOn() && settings.blocksAhead() > 0;
        this.mostAhead = settings.blocksAhead();
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.REVIEWS);
        this.readers = readers;
        this.model = new ReadAheadModel(mostAhead, MOST_KNOWN, MOST_FILES);
    }

    /** Whether it wants to know the file of a block that was read; not while the NameNode's lock is held much. */
    boolean asksFor(long nowMs, long blockId) {
        return isOn && !places.containsKey(blockId) && !passedOver.contains(nowMs, blockId) && view.mayLook();
    }

    /** The file of a block was looked up. */
    void lookedUp(long nowMs, long blockId) {
        if (isOn && !places.containsKey(blockId)) {
            passedOver.add(nowMs, blockId);
        }
    }

    /** A block of that pool was read. */
    void read(long nowMs, Heat entry, @Nullable Named named, int pool) {
        if (!isOn) {
            return;
        }
        long blockId = entry.block().id();
        Place place = places.get(blockId);
        if (place != null) {
            place.file.pool = pool;
            if (place.file.count > 0) {
                follow(nowMs, place);
            }
        } else if (named != null) {
            begin(nowMs, blockId, named, pool);
        }
    }

    private void begin(long nowMs, long blockId, Named named, int pool) {
        String directory = DirectoryPattern.of(named.path());
        if (!named.begins()
                || files.containsKey(named.inode())
                || files.size() >= MOST_FILES
                || model.stops(nowMs, directory)) {
            return;
        }
        Followed file = new Followed(named.inode(), directory, nowMs);
        file.pool = pool;
        files.put(file.inode, file);
        know(file, blockId, 0);
        toLook.add(file);
    }

    private void know(Followed file, long blockId, int index) {
        file.ids.add(blockId);
        places.put(blockId, new Place(file, index));
        passedOver.remove(blockId);
    }

    private void follow(long nowMs, Place place) {
        Followed file = place.file;
        Range ahead = model.read(nowMs, file.inode, file.directory, place.index, file.count);
        for (int index = ahead.from(); index < Math.min(ahead.to(), file.blocks.size()); index++) {
            Located located = file.blocks.get(index);
            if (located != null && !wasRead(file, located)) {
                comes(nowMs, file, located, ahead);
            }
        }
        if (!model.follows(file.inode)) {
            forget(file);
        } else if (file.lacks(place.index + mostAhead + PART / 2)) {
            toLook.add(file);
        }
    }

    private void comes(long nowMs, Followed file, Located located, Range ahead) {
        StampedBlock block = located.block();
        List<DataNodeState> holders = located.nodes().stream()
                .map(clusterState.nodes()::get)
                .filter(Objects::nonNull)
                .filter(DataNodeState::isLive)
                .toList();
        if (!holders.isEmpty()) {
            String reason = "a reader of its file is on the way to it; files of directories like " + file.directory
                    + " are read on once they are begun";
            double worth = ahead.worth(block.lengthBytes());
            readers.come(nowMs, new Next(block, holders, file.lookedMs, file.pool, worth, reason));
        }
    }

    /** Whether a reader of its file is still to come to a block. */
    boolean awaits(long nowMs, long blockId) {
        Place place = places.get(blockId);
        return place != null && model.awaits(nowMs, place.file.inode, place.index);
    }

    /** It took so long until a copy was there. */
    void copied(long nowMs, long tookMs) {
        model.copied(nowMs, tookMs);
    }

    /** About how long a copy takes. */
    double copyMs(long nowMs) {
        return model.copyMs(nowMs);
    }

    /** Looks up the next blocks of files that are read, and forgets readers who stood for too long. */
    void turn(long nowMs) {
        if (!isOn || files.isEmpty()) {
            return;
        }
        model.expire(nowMs);
        for (Followed file : List.copyOf(files.values())) {
            boolean isKnown = file.count > 0;
            if (isKnown ? !model.follows(file.inode) : nowMs - file.begunMs >= ReadAheadModel.IDLE_MS) {
                forget(file);
            }
        }
        if (!toLook.isEmpty() && view.mayLook()) {
            look(nowMs);
        }
    }

    private void look(long nowMs) {
        int most = Math.min(PART, view.lockBlocks());
        List<Followed> asked =
                toLook.stream().limit(Math.max(1, view.lockBlocks() / most)).toList();
        asked.forEach(toLook::remove);
        List<@Nullable FilePart> parts = view.parts(
                asked.stream().map(file -> file.inode).toList(),
                asked.stream().map(file -> file.blocks.size()).toList(),
                most);
        for (int i = 0; i < asked.size(); i++) {
            FilePart part = parts.get(i);
            if (part == null) {
                forget(asked.get(i));
            } else {
                extend(nowMs, asked.get(i), part);
            }
        }
    }

    /** Blocks that were read about when the file was begun, before it was known that they are of it, are read now. */
    private void extend(long nowMs, Followed file, FilePart part) {
        if (places.size() + part.part().size() > MOST_PLACES) {
            forget(file);
            return;
        }
        file.count = part.blocks();
        file.lookedMs = nowMs;
        int from = file.blocks.size();
        for (Located located : part.part()) {
            int index = file.blocks.size();
            file.blocks.add(located);
            if (located != null && index > 0) {
                know(file, located.block().id(), index);
            }
        }
        for (int index = from; index < file.blocks.size() && files.containsKey(file.inode); index++) {
            Located located = file.blocks.get(index);
            if (index == 0 || (located != null && wasRead(file, located))) {
                follow(nowMs, new Place(file, index));
            }
        }
    }

    /** About when the file was begun, or since. */
    private boolean wasRead(Followed file, Located located) {
        BlockHeat heat = clusterState.heat().find(located.block().id());
        return heat != null && heat.reads() > 0 && heat.lastMs() >= file.begunMs - REPORTS_MS;
    }

    private void forget(Followed file) {
        files.remove(file.inode);
        toLook.remove(file);
        file.ids.forEach(places::remove);
    }
}
