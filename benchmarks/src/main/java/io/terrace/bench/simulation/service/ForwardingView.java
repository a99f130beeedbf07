package io.terrace.bench.simulation.service;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.StampedBlock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A view of the simulated namespace that answers as another one does, for those who change or watch one answer. */
public class ForwardingView implements NamespaceView {

    private final NamespaceView view;

    public ForwardingView(NamespaceView view) {
        this.view = view;
    }

    @Override
    public int lockBlocks() {
        return view.lockBlocks();
    }

    @Override
    public boolean mayLook() {
        return view.mayLook();
    }

    @Override
    public long annotationsVersion() {
        return view.annotationsVersion();
    }

    @Override
    public List<@Nullable Named> names(List<Long> blocks) {
        return view.names(blocks);
    }

    @Override
    public List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        return view.parts(inodes, from, most);
    }

    @Override
    public long lengthOf(long inode) {
        return view.lengthOf(inode);
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> blocks) {
        return view.placed(blocks);
    }

    @Override
    public Map<StorageTier, VolumeSpace> volumes(String node) {
        return view.volumes(node);
    }

    @Override
    public long volumesAgeMs(String node) {
        return view.volumesAgeMs(node);
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> blocks) {
        return view.holders(blocks);
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        return view.examine(candidates);
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return view.blocksOf(inodes, limit);
    }
}
