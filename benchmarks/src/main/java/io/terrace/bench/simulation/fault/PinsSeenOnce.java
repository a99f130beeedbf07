package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.service.ForwardingView;
import io.terrace.placement.state.NamespaceView;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the blocks of a file only the first time that it is asked for them. */
final class PinsSeenOnce extends ForwardingView {
    private final Set<Long> seen = new HashSet<>();

    PinsSeenOnce(NamespaceView view) {
        super(view);
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return super.blocksOf(inodes.stream().filter(seen::add).toList(), limit);
    }
}
