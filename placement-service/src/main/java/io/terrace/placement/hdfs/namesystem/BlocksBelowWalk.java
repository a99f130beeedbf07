package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.NamespaceView.Located;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;

/** A walk for the complete replicated blocks of all files below a directory. */
final class BlocksBelowWalk extends DirectoryWalk {

    private final List<Located> blocks = new ArrayList<>();

    BlocksBelowWalk(int most) {
        super(most);
    }

    /** What was found. */
    List<Located> blocks() {
        return blocks;
    }

    @Override
    int look(INodeFile file, int from) {
        BlockInfo[] all = file.getBlocks();
        if (file.isStriped() || all == null) {
            return 0;
        }
        int began = looked();
        for (int i = from; i < all.length; i++) {
            if (isOver() && looked() > began) {
                return i;
            }
            count();
            if (all[i].isComplete() && !all[i].isDeleted()) {
                blocks.add(FileBlocks.located(all[i], file.getId()));
            }
        }
        return 0;
    }
}
