package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.service.ForwardingView;
import io.terrace.placement.state.NamespaceView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A namespace in which blocks that were looked at once stay where they were when they are deleted. */
final class UndeletedBlocks extends ForwardingView {

    private final Map<Long, Placed> latest = new HashMap<>();

    UndeletedBlocks(NamespaceView view) {
        super(view);
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> blocks) {
        List<@Nullable Placed> answers = new ArrayList<>();
        for (Placed placed : super.placed(blocks)) {
            int index = answers.size();
            if (placed != null) {
                latest.put(blocks.get(index), placed);
            }
            answers.add(latest.get(blocks.get(index)));
        }
        return answers;
    }
}
