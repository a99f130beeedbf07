package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.PolicyGaps.Position;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeDirectory;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.snapshot.Snapshot;
import org.apache.hadoop.hdfs.util.ReadOnlyList;
import org.jspecify.annotations.Nullable;

/**
 * A bounded part of a walk through a directory as it is now, without what a snapshot alone has. The caller holds the read
 * lock.
 */
abstract class DirectoryWalk {

    private final int most;
    private final Deque<Frame> stack = new ArrayDeque<>();
    private final Deque<String> names = new ArrayDeque<>();
    private int looked;
    private int firstBlock;

    private static final class Frame {
        private final ReadOnlyList<INode> children;
        private int next;

        private Frame(INodeDirectory directory) {
            children = directory.getChildrenList(Snapshot.CURRENT_STATE_ID);
        }
    }

    /** @param most files, directories and blocks to look at */
    DirectoryWalk(int most) {
        this.most = most;
    }

    /**
     * Looks at a file, from one of its blocks on.
     *
     * @return index of the block to go on with; 0 if the file is done
     */
    abstract int look(INodeFile file, int from);

    /** One more file, directory or block is looked at. */
    final void count() {
        looked++;
    }

    /** Files, directories and blocks looked at. */
    final int looked() {
        return looked;
    }

    final boolean isOver() {
        return looked >= most;
    }

    /** @return where to go on; null at the end */
    final @Nullable Position walk(INode root, @Nullable Position from) {
        if (root.isFile()) {
            int block = look(root.asFile(), from == null ? 0 : from.block());
            return block > 0 ? new Position(List.of(), block) : null;
        }
        if (!root.isDirectory()) {
            return null;
        }
        stack.push(new Frame(root.asDirectory()));
        if (from != null) {
            seek(from);
        }
        while (looked < most) {
            Frame top = stack.peek();
            if (top == null) {
                return null;
            }
            if (top.next >= top.children.size()) {
                stack.pop();
                names.pollLast();
                continue;
            }
            INode child = top.children.get(top.next++);
            looked++;
            names.addLast(child.getLocalName());
            if (child.isDirectory()) {
                stack.push(new Frame(child.asDirectory()));
                continue;
            }
            int block = child.isFile() ? look(child.asFile(), firstBlock) : 0;
            firstBlock = 0;
            if (block > 0 || looked >= most) {
                return new Position(List.copyOf(names), block);
            }
            names.removeLast();
        }
        return new Position(List.copyOf(names), 0);
    }

    /** Goes to where the last part ended, or behind where that was. */
    private void seek(Position from) {
        for (int i = 0; i < from.names().size(); i++) {
            Frame top = stack.element();
            String name = from.names().get(i);
            int index = ReadOnlyList.Util.binarySearch(top.children, DFSUtil.string2Bytes(name));
            if (index < 0) {
                top.next = -index - 1;
                return;
            }
            INode child = top.children.get(index);
            boolean last = i == from.names().size() - 1;
            if (child.isDirectory()) {
                top.next = index + 1;
                names.addLast(name);
                stack.push(new Frame(child.asDirectory()));
            } else {
                boolean unfinished = last && from.block() > 0;
                top.next = unfinished || !last ? index : index + 1;
                firstBlock = unfinished ? from.block() : 0;
                return;
            }
        }
    }
}
