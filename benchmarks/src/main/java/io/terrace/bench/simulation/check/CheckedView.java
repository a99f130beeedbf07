package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.service.ForwardingView;
import io.terrace.placement.state.NamespaceView;
import java.util.AbstractList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The namespace as a service looks into it. The service decides on one block after the other as it takes them out of an answer:
 * so it shows what came of each before the next one changes what is counted.
 */
final class CheckedView extends ForwardingView {

    private final Runnable beforeEach;

    /** @param beforeEach runs before a block is looked at */
    CheckedView(NamespaceView view, Runnable beforeEach) {
        super(view);
        this.beforeEach = beforeEach;
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> blocks) {
        List<@Nullable Placed> answers = super.placed(blocks);
        return new AbstractList<>() {
            @Override
            public @Nullable Placed get(int index) {
                beforeEach.run();
                return answers.get(index);
            }

            @Override
            public int size() {
                return answers.size();
            }
        };
    }
}
