package io.terrace.placement.hdfs;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.accesslog.AccessLog.Looks;
import io.terrace.placement.accesslog.BlockLook;
import io.terrace.placement.accesslog.BlockLook.Found;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.jspecify.annotations.Nullable;

/** What the log of accesses asks the NameNode for, as the settings want it. */
final class AccessLogLooks {

    private AccessLogLooks() {}

    /** A look that waits for the budget of all looks that can wait. */
    private record BudgetedLook(NamespaceView view, Function<List<Long>, List<@Nullable Found>> found)
            implements BlockLook {
        @Override
        public List<@Nullable Found> of(List<Long> blocks) {
            return found.apply(blocks);
        }

        @Override
        public boolean isAllowed() {
            return view.mayLook();
        }
    }

    static Looks of(Configuration conf, NamespaceView asked, FSNamesystem namesystem) {
        NamespaceView view = asked.askedBy(Asker.REVIEWS);
        boolean paths = TerraceSettings.PLACEMENT_ACCESS_LOG_PATHS.get(conf);
        String readers = TerraceSettings.PLACEMENT_ACCESS_LOG_READERS.get(conf);
        if (readers.equals("none")) {
            BlockLook look = paths ? new BudgetedLook(view, blocks -> named(view.names(blocks))) : BlockLook.NONE;
            return new Looks(look, paths, view.lockBlocks(), null, false);
        }
        DatanodeManager datanodes = namesystem.getBlockManager().getDatanodeManager();
        return new Looks(
                new BudgetedLook(view, blocks -> {
                    List<@Nullable Placed> places = view.placed(blocks);
                    // In safe mode it is not known who holds blocks; their paths are.
                    return places.isEmpty() ? named(view.names(blocks)) : placed(places);
                }),
                paths,
                view.lockBlocks(),
                uuid -> address(datanodes.getDatanode(uuid)),
                readers.equals("addresses"));
    }

    private static @Nullable String address(@Nullable DatanodeDescriptor node) {
        return node == null ? null : node.getIpAddr();
    }

    private static List<@Nullable Found> named(List<@Nullable Named> names) {
        List<@Nullable Found> found = new ArrayList<>(names.size());
        names.forEach(named -> found.add(named == null ? null : new Found(named.path(), List.of())));
        return found;
    }

    private static List<@Nullable Found> placed(List<@Nullable Placed> places) {
        List<@Nullable Found> found = new ArrayList<>(places.size());
        places.forEach(placed -> found.add(
                placed == null
                        ? null
                        : new Found(
                                placed.path(),
                                placed.replicas().stream()
                                        .map(PlacedReplica::node)
                                        .toList())));
        return found;
    }
}
