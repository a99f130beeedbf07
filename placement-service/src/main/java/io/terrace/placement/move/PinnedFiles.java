package io.terrace.placement.move;

import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.FilePart;
import io.terrace.placement.state.NamespaceView.Located;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of pinned files, as rounds through them find them: at each turn no more blocks than one hold of the NameNode's
 * lock may, and a round again {@value #PAUSE_MS} ms after the last one ended. Files that are new are looked at first. A block is
 * left once a whole round did not find it. Owned by the loop's thread.
 */
final class PinnedFiles {

    static final long PAUSE_MS = PinnedBlocks.REFRESH_MS;

    private final NamespaceView view;
    private final int mostBlocks;

    /** Files that the round has still to look at. */
    private final ArrayDeque<Long> left = new ArrayDeque<>();
    /** Files with more blocks than one look may see; they are looked at in parts. */
    private final Set<Long> large = new HashSet<>();
    /** The next block of the first file, if that is large, and the bytes before it. */
    private int next;

    private long bytesBefore;

    private Map<Long, Located> before = Map.of();
    private Map<Long, Located> found = new LinkedHashMap<>();
    private List<Located> latest = List.of();
    /** Bytes of the files that were looked at, this time or the last. */
    private final Map<Long, Long> bytesByFile = new HashMap<>();
    /** Blocks that there was no room for: in the last whole round, and in this one. */
    private long leftOutBefore;

    private long leftOut;
    private boolean walking;
    private long notBeforeMs = Long.MIN_VALUE;

    /** @param mostBlocks that are remembered of all files; of more, those of the first ones are */
    PinnedFiles(NamespaceView view, int mostBlocks) {
        this.view = view;
        this.mostBlocks = mostBlocks;
    }

    /**
     * Looks a little further.
     *
     * @param files that are pinned, by inode id
     * @return whether a round ended
     */
    boolean turn(long nowMs, Set<Long> files) {
        latest = List.of();
        bytesByFile.keySet().retainAll(files);
        large.retainAll(files);
        if (files.isEmpty()) {
            leaveAll();
            before = Map.of();
            found = new LinkedHashMap<>();
            leftOutBefore = 0;
            leftOut = 0;
        }
        if (!walking && left.isEmpty() && nowMs >= notBeforeMs) {
            walking = true;
            left.addAll(files);
            Map<Long, Located> known = new LinkedHashMap<>();
            blocks().forEach(located -> known.put(located.block().id(), located));
            before = known;
            found = new LinkedHashMap<>();
            leftOut = 0;
        }
        List<Long> fresh = files.stream()
                .filter(file -> !bytesByFile.containsKey(file))
                .limit(view.lockBlocks())
                .toList();
        if (!fresh.isEmpty() && next == 0 && !fresh.contains(left.peek())) {
            left.removeAll(new HashSet<>(fresh));
            for (int i = fresh.size() - 1; i >= 0; i--) {
                left.addFirst(fresh.get(i));
            }
        }
        if (left.isEmpty() && !walking) {
            return false;
        }
        look(files);
        if (!left.isEmpty() || !walking) {
            return false;
        }
        walking = false;
        notBeforeMs = nowMs + PAUSE_MS;
        before = found;
        found = new LinkedHashMap<>();
        leftOutBefore = leftOut;
        leftOut = 0;
        return true;
    }

    private void look(Set<Long> files) {
        while (!left.isEmpty() && !files.contains(left.element())) {
            leaveFirst();
        }
        if (left.isEmpty()) {
            return;
        }
        if (found.size() >= mostBlocks) {
            countTheRest();
        } else if (large.contains(left.element())) {
            lookAtPart(left.element());
        } else {
            lookAtSome();
        }
    }

    private void leaveFirst() {
        left.remove();
        next = 0;
        bytesBefore = 0;
    }

    private void leaveAll() {
        left.clear();
        next = 0;
        bytesBefore = 0;
    }

    private void lookAtSome() {
        int most = view.lockBlocks();
        List<Long> some = left.stream()
                .takeWhile(file -> !large.contains(file))
                .limit(most)
                .toList();
        List<Located> blocks = view.blocksOf(some, most);
        // Of the file with the last block there may be more.
        long cut = blocks.size() < most ? -1 : blocks.get(most - 1).inode();
        if (cut == some.get(0)) {
            large.add(cut);
            return;
        }
        latest = new ArrayList<>();
        Map<Long, Long> bytes = new HashMap<>();
        for (Located located : blocks) {
            if (located.inode() != cut) {
                add(located);
                bytes.merge(located.inode(), located.block().lengthBytes(), Long::sum);
            }
        }
        while (!left.isEmpty() && some.contains(left.element()) && left.element() != cut) {
            long file = left.element();
            bytesByFile.put(file, bytes.getOrDefault(file, 0L));
            leaveFirst();
        }
    }

    private void lookAtPart(long file) {
        FilePart part =
                view.parts(List.of(file), List.of(next), view.lockBlocks()).get(0);
        latest = new ArrayList<>();
        if (part != null) {
            for (@Nullable Located located : part.part()) {
                if (located != null) {
                    add(located);
                    bytesBefore += located.block().lengthBytes();
                }
            }
        }
        next += view.lockBlocks();
        if (part == null || next >= part.blocks()) {
            bytesByFile.put(file, bytesBefore);
            if (part == null || part.blocks() < view.lockBlocks()) {
                large.remove(file);
            }
            leaveFirst();
        }
    }

    private void add(Located located) {
        long id = located.block().id();
        if (found.size() < mostBlocks || found.containsKey(id)) {
            found.put(id, located);
            latest.add(located);
        } else {
            leftOut++;
        }
    }

    /** There is no room for more blocks: it matters only how many there are, and which files are gone. */
    private void countTheRest() {
        leftOut += view.blockCount(left) - next;
        for (long file : left) {
            long lengthBytes = view.lengthOf(file);
            if (lengthBytes <= 0 || !bytesByFile.containsKey(file)) {
                bytesByFile.put(file, Math.max(0, lengthBytes));
            }
        }
        leaveAll();
    }

    /** Whether all files were looked at, and a round has not begun again. */
    boolean rests() {
        return left.isEmpty();
    }

    /** Blocks that the last turn found. */
    List<Located> latest() {
        return latest;
    }

    /** What this round found so far, then what the last one did. */
    Collection<Located> blocks() {
        Map<Long, Located> all = new LinkedHashMap<>(found);
        before.forEach(all::putIfAbsent);
        return all.values();
    }

    /** Bytes of each file that was looked at as a whole; none where it is gone or has no complete block. */
    Map<Long, Long> bytesByFile() {
        return bytesByFile;
    }

    /** How many blocks are not remembered. */
    long leftOut() {
        return Math.max(leftOutBefore, leftOut);
    }
}
