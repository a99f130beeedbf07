package io.terrace.placement.move;

import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Below;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.PolicyGaps.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The blocks below pinned directories, as walks through them find them: one bounded look a turn, one directory after another,
 * and each again {@value #PAUSE_MS} ms after its walk ended. So files that come later are found, and a block is left once a
 * whole walk did not find it. Owned by the loop's thread.
 */
final class PinnedDirectories {

    static final long PAUSE_MS = 5_000;

    private final NamespaceView view;
    private final int mostBlocks;
    private final Map<Long, Walk> walks = new LinkedHashMap<>();

    private static final class Walk {
        private Map<Long, Located> before = Map.of();
        private Map<Long, Located> found = new LinkedHashMap<>();
        private @Nullable Position next;
        /** Blocks that there was no room for: in the last whole walk, and in this one. */
        private long leftOutBefore;

        private long leftOut;
        private long notBeforeMs = Long.MIN_VALUE;
    }

    /** @param mostBlocks that are remembered of all directories; of more, the first ones are */
    PinnedDirectories(NamespaceView view, int mostBlocks) {
        this.view = view;
        this.mostBlocks = mostBlocks;
    }

    /**
     * Looks a little further.
     *
     * @param directories that are pinned, by inode id
     * @return whether something is known that was not
     */
    boolean turn(long nowMs, Collection<Long> directories) {
        boolean changed = walks.keySet().retainAll(directories);
        directories.forEach(directory -> walks.computeIfAbsent(directory, inode -> new Walk()));
        for (Map.Entry<Long, Walk> entry : List.copyOf(walks.entrySet())) {
            Walk walk = entry.getValue();
            if (nowMs < walk.notBeforeMs) {
                continue;
            }
            // The others have their turn first, next time.
            walks.remove(entry.getKey());
            walks.put(entry.getKey(), walk);
            return look(nowMs, entry.getKey(), walk) || changed;
        }
        return changed;
    }

    private boolean look(long nowMs, long directory, Walk walk) {
        Below below = view.below(directory, walk.next);
        if (below == null) {
            walk.notBeforeMs = nowMs + PAUSE_MS;
            return false;
        }
        int room = mostBlocks
                - walks.values().stream().mapToInt(each -> each.found.size()).sum();
        for (Located located : below.blocks()) {
            long id = located.block().id();
            if (walk.found.containsKey(id) || room-- > 0) {
                walk.found.put(id, located);
            } else {
                walk.leftOut++;
            }
        }
        walk.next = below.next();
        boolean changed = !below.blocks().isEmpty();
        if (walk.next == null) {
            walk.notBeforeMs = nowMs + PAUSE_MS;
            changed |= !walk.before.keySet().equals(walk.found.keySet());
            walk.before = walk.found;
            walk.found = new LinkedHashMap<>();
            changed |= walk.leftOutBefore != walk.leftOut;
            walk.leftOutBefore = walk.leftOut;
            walk.leftOut = 0;
        }
        return changed;
    }

    /** The blocks below a directory; those of its last whole walk, and those that the present one found. */
    Collection<Located> below(long directory) {
        Walk walk = walks.get(directory);
        if (walk == null) {
            return List.of();
        }
        Map<Long, Located> all = new LinkedHashMap<>(walk.before);
        all.putAll(walk.found);
        return new ArrayList<>(all.values());
    }

    /** How many blocks below a directory are not remembered. */
    long leftOut(long directory) {
        Walk walk = walks.get(directory);
        return walk == null ? 0 : Math.max(walk.leftOutBefore, walk.leftOut);
    }
}
