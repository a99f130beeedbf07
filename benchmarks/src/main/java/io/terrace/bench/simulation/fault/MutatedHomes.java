package io.terrace.bench.simulation.fault;

import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import org.jspecify.annotations.Nullable;

/** Homes that are chosen wrongly, or not looked at. */
final class MutatedHomes {

    private MutatedHomes() {}

    /** A copy goes to any other DataNode that reads it. */
    static HomeChoice hopping(HomeChoice homes) {
        return new HomeChoice() {
            @Override
            public @Nullable DataNodeState choose(long nowMs, BlockHeat heat, int pool) {
                DataNodeState home = heat.home();
                DataNodeState chosen = homes.choose(nowMs, heat, pool);
                if (home == null
                        || chosen != home
                        || !home.residents().holds(heat.block().id())) {
                    return chosen;
                }
                for (int i = 0; i < heat.nodeCount(); i++) {
                    if (heat.node(i) != home
                            && heat.node(i).canHold(heat.block().lengthBytes())) {
                        return heat.node(i);
                    }
                }
                return chosen;
            }

            @Override
            public boolean isElsewhere(DataNodeState node, long blockId) {
                return homes.isElsewhere(node, blockId);
            }
        };
    }

    /** A copy that was requested is ordered, wherever its home is by then. */
    static HomeChoice unasked(HomeChoice homes) {
        return new HomeChoice() {
            @Override
            public @Nullable DataNodeState choose(long nowMs, BlockHeat heat, int pool) {
                return homes.choose(nowMs, heat, pool);
            }

            @Override
            public boolean isElsewhere(DataNodeState node, long blockId) {
                return false;
            }
        };
    }
}
