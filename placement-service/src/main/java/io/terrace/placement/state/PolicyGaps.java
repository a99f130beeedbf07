package io.terrace.placement.state;

import io.terrace.placement.state.NamespaceView.Home;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks through directories for replicas that are not where the storage policy of their file wants them. One look holds the
 * NameNode's read lock once, for a bounded number of files and blocks.
 */
public interface PolicyGaps {

    /** Of a view without directories. */
    PolicyGaps NONE = new PolicyGaps() {
        @Override
        public Slice look(Root root, @Nullable Position from) {
            return new Slice(List.of(), 0, 0, null);
        }

        @Override
        public List<Root> annotated(boolean users) {
            return List.of();
        }

        @Override
        public List<String> changed(boolean users) {
            return List.of();
        }
    };

    /**
     * A file or directory to walk.
     *
     * @param inode its id; 0 for whatever is at the path
     */
    record Root(String path, long inode) {

        /** Whether that path is the root's or below it. */
        public boolean holds(String other) {
            return path.equals("/") || other.equals(path) || other.startsWith(path + "/");
        }
    }

    /**
     * Where a walk goes on. Names may be gone by then.
     *
     * @param names of what was looked at last and of the directories above, below the root
     * @param block index of the next block of that file; 0 if it was looked at whole
     */
    record Position(List<String> names, int block) {

        public Position {
            names = List.copyOf(names);
        }
    }

    /**
     * What one look found.
     *
     * @param off blocks with replicas that are off the storage policy
     * @param looked files, directories and blocks looked at
     * @param heldNs how long the lock was held
     * @param next where to go on; null at the end
     */
    record Slice(List<Home> off, int looked, long heldNs, @Nullable Position next) {

        public Slice {
            off = List.copyOf(off);
        }
    }

    /**
     * Looks at some files of a root.
     *
     * @param from where the last look ended; null to begin
     * @return null while the NameNode cannot say, e.g. in safe mode
     */
    @Nullable
    Slice look(Root root, @Nullable Position from);

    /**
     * Files and directories that are annotated with {@code satisfy: true}, also in earlier terms of leadership.
     *
     * @param users whether {@code user} annotations count. Else anybody could fill the list, of which there is one
     */
    List<Root> annotated(boolean users);

    /**
     * Paths whose storage policy or annotations changed since the last call.
     *
     * @param users whether directories with {@code user} annotations are remembered for {@link #annotated}
     */
    List<String> changed(boolean users);
}
