package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.PolicyGaps;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.server.namenode.FSDirectory;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.jspecify.annotations.Nullable;

/** Walks the NameNode's directories, each look under its read lock. Thread-safe. */
final class NamesystemPolicyGaps implements PolicyGaps {

    private final FSNamesystem namesystem;
    private final NamesystemView view;
    private final AnnotationReader annotations;
    private final AnnotationChanges changes;
    private final SatisfiedInodes satisfied;

    NamesystemPolicyGaps(
            FSNamesystem namesystem,
            NamesystemView view,
            AnnotationReader annotations,
            AnnotationChanges changes,
            SatisfiedInodes satisfied) {
        this.namesystem = namesystem;
        this.view = view;
        this.annotations = annotations;
        this.changes = changes;
        this.satisfied = satisfied;
    }

    @Override
    public @Nullable Slice look(Root root, @Nullable Position from) {
        if (namesystem.isInSafeMode()) {
            return null;
        }
        return view.locked(Asker.SATISFY, NamesystemLock.GLOBAL, "terracePolicyGaps", view.lockBlocks(), () -> {
            long beganNs = System.nanoTime();
            INode inode = root.inode() == 0
                    ? PathLookup.at(directory(), root.path())
                    : directory().getInode(root.inode());
            if (inode == null) {
                return new Slice(List.of(), 0, 0, null);
            }
            PolicyGapWalk walk = new PolicyGapWalk(namesystem, annotations, view.lockBlocks());
            Position next = walk.walk(inode, from);
            return new Slice(walk.off(), walk.looked(), System.nanoTime() - beganNs, next);
        });
    }

    @Override
    public List<Root> annotated(boolean users) {
        List<Long> inodes = satisfied.all();
        List<Root> roots = new ArrayList<>();
        List<Long> no = new ArrayList<>();
        for (int from = 0; from < inodes.size(); from += view.lockBlocks()) {
            List<Long> some = inodes.subList(from, Math.min(inodes.size(), from + view.lockBlocks()));
            view.locked(Asker.SATISFY, NamesystemLock.FS, "terraceSatisfied", some.size(), () -> {
                for (long id : some) {
                    INode inode = directory().getInode(id);
                    if (inode == null || !annotations.satisfies(inode, true) || !isPresent(inode)) {
                        no.add(id);
                    } else if (annotations.satisfies(inode, users)) {
                        roots.add(new Root(inode.getFullPathName(), id));
                    }
                }
                return roots;
            });
        }
        satisfied.remove(no);
        return roots;
    }

    private static boolean isPresent(INode inode) {
        return TerraceReadCheck.isPath(inode.getFullPathName());
    }

    @Override
    public List<String> changed(boolean users) {
        List<String> paths = new ArrayList<>(changes.takePolicies(view.lockBlocks()));
        List<String> attributed = changes.takeAttributes(view.lockBlocks());
        if (!attributed.isEmpty()) {
            List<Long> ofUsers = new ArrayList<>();
            List<Long> trusted =
                    view.locked(Asker.SATISFY, NamesystemLock.FS, "terraceSatisfied", attributed.size(), () -> {
                        List<Long> inodes = new ArrayList<>();
                        for (String path : attributed) {
                            INode inode = PathLookup.at(directory(), path);
                            if (inode == null) {
                                continue;
                            }
                            if (changes.isKnownAsAnnotated(path) || annotations.hasOwn(inode)) {
                                paths.add(path);
                            }
                            if (annotations.satisfies(inode, false)) {
                                inodes.add(inode.getId());
                            } else if (annotations.satisfies(inode, users)) {
                                ofUsers.add(inode.getId());
                            }
                        }
                        return inodes;
                    });
            satisfied.add(trusted, false);
            satisfied.add(ofUsers, true);
        }
        return paths;
    }

    private FSDirectory directory() {
        return namesystem.getFSDirectory();
    }
}
