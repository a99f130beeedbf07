package io.terrace.placement;

import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.StampedBlock;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which reports on a block count. A DataNode is trusted on its own replicas and copies, not on those of others:
 *
 * <ul>
 *   <li>What one DataNode alone reports of a block concerns that DataNode alone: its own policy is told of it, and any
 *       order that follows goes to it. It is taken as it is, so a block that one DataNode serves costs the NameNode
 *       nothing here.
 *   <li>Once a second DataNode reports the block, the NameNode's map is asked which of them hold that very replica.
 *       What one without a replica reports of it does not count, nor what it reported before; so it is no home, moves
 *       no home and makes nothing hot elsewhere. The answer is good for {@value BlockHeat#CONFIRMED_MS} ms, so a home
 *       moves only to a DataNode that held a replica within that time.
 *   <li>Where DataNodes name different stamps or lengths, the one that the map has is right, whichever came first.
 * </ul>
 *
 * <p>A heartbeat leads to at most {@value ReportQuota#LOOKS_TO_VALIDATE} looks of a bounded number of blocks each,
 * within the {@link ReportQuota} of its DataNode, and the NameNode is not asked again for a while about a block on
 * which it refuted a DataNode. What could not be asked does not count. Owned by the loop's thread.
 */
public final class ReportValidator {

    /** What a report of heat is worth. */
    enum Judgement {
        COUNTS,
        /** It counts, and what was known of the block was another content's. */
        SUPERSEDES,
        STALE,
        UNCONFIRMED
    }

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final Map<Candidate, Verdict> verdicts = new HashMap<>();

    ReportValidator(ClusterState clusterState, NamespaceView view) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.REPORTS);
    }

    /** Asks what {@link #judge} needs to know for the heat of a heartbeat. */
    void askAboutHeat(long nowMs, DataNodeState node, List<Heat> entries) {
        Set<Candidate> questions = new LinkedHashSet<>();
        long most = mostQuestions(nowMs, node);
        for (Heat entry : entries) {
            StampedBlock block = entry.block();
            BlockHeat known = clusterState.heat().peek(block.id());
            if (known != null
                    && questions.size() < most
                    && withoutAsking(nowMs, node, entry, known) == null
                    && !node.refuted().holdsBack(nowMs, block.id())) {
                questions.add(new Candidate(block, node.uuid()));
                if (known.block().equals(block) && !known.isConfirmed(nowMs)) {
                    known.reporters().forEach(other -> questions.add(new Candidate(block, other.uuid())));
                }
            }
        }
        ask(nowMs, node, questions);
    }

    private long mostQuestions(long nowMs, DataNodeState node) {
        return Math.min(
                        ReportQuota.LOOKS_TO_VALIDATE,
                        node.reportQuota().looks().available(nowMs))
                * view.lockBlocks();
    }

    private void ask(long nowMs, DataNodeState node, Set<Candidate> questions) {
        verdicts.clear();
        List<Candidate> all = List.copyOf(questions);
        int most = view.lockBlocks();
        for (int from = 0; from < all.size(); from += most) {
            List<Candidate> asked = all.subList(from, Math.min(all.size(), from + most));
            List<Verdict> answers = view.examine(asked);
            node.reportQuota().looks().charge(nowMs, 1);
            for (int i = 0; i < asked.size(); i++) {
                verdicts.put(asked.get(i), answers.get(i));
                if (asked.get(i).node().equals(node.uuid())) {
                    remember(nowMs, node, asked.get(i).block().id(), answers.get(i));
                }
            }
        }
    }

    private static void remember(long nowMs, DataNodeState node, long blockId, Verdict verdict) {
        if (verdict == Verdict.FIT) {
            node.refuted().succeeded(blockId);
        } else if (verdict.refutes()) {
            node.refuted().failed(nowMs, blockId);
        }
    }

    /** What a report is worth that needs no look at the NameNode's map; null if it needs one. */
    private static @Nullable Judgement withoutAsking(long nowMs, DataNodeState node, Heat entry, BlockHeat known) {
        StampedBlock block = entry.block();
        boolean sameContent = known.block().sameContent(block);
        boolean older = known.block().stamp() > block.stamp();
        if (!known.isReportedByOthers(node)) {
            return sameContent
                    ? Judgement.COUNTS
                    : older && known.isReportedBy(node) ? Judgement.STALE : Judgement.SUPERSEDES;
        }
        if (!sameContent) {
            return older && known.isConfirmed(nowMs) ? Judgement.STALE : null;
        }
        // The NameNode excluded the block, so no policy is told of it.
        boolean excluded = known.excluded() != null;
        // Each DataNode of a pipeline reports the write; without a home no policy is told.
        boolean unheard = entry.reads() == 0 && (known.home() == null || known.home() == node);
        boolean confirmed = known.isReportedBy(node) && known.isConfirmed(nowMs);
        return known.block().equals(block) && (excluded || unheard || confirmed) ? Judgement.COUNTS : null;
    }

    /** What a report of heat is worth; DataNodes that turn out to hold no such replica are forgotten for the block. */
    Judgement judge(long nowMs, DataNodeState node, Heat entry) {
        StampedBlock block = entry.block();
        BlockHeat known = clusterState.heat().peek(block.id());
        if (known == null) {
            return Judgement.COUNTS;
        }
        Judgement judgement = withoutAsking(nowMs, node, entry, known);
        if (judgement != null) {
            if (!known.isReportedBy(node)) {
                known.doubt();
            }
            return judgement;
        }
        Verdict verdict = verdicts.get(new Candidate(block, node.uuid()));
        if (verdict == Verdict.ERASURE_CODED && known.block().equals(block)) {
            known.exclude(verdict);
            return Judgement.COUNTS;
        }
        if (verdict != Verdict.FIT) {
            return known.block().stamp() > block.stamp() ? Judgement.STALE : Judgement.UNCONFIRMED;
        }
        if (!known.block().equals(block)) {
            return Judgement.SUPERSEDES;
        }
        known.heldBy(node);
        return known.isConfirmed(nowMs) || confirm(nowMs, known, node) ? Judgement.COUNTS : Judgement.UNCONFIRMED;
    }

    private boolean confirm(long nowMs, BlockHeat known, DataNodeState node) {
        for (DataNodeState other : known.reporters()) {
            if (other == node) {
                continue;
            }
            Verdict verdict = verdicts.get(new Candidate(known.block(), other.uuid()));
            if (verdict != null && verdict.refutes()) {
                known.forget(other);
            } else if (verdict != Verdict.FIT) {
                return false;
            }
        }
        known.confirm(nowMs);
        return true;
    }

    /** Asks what {@link #isHomeReal} needs to know for what a heartbeat says is resident. */
    void askAboutHomes(long nowMs, DataNodeState node, List<Residency> changes) {
        Set<Candidate> questions = new LinkedHashSet<>();
        long most = mostQuestions(nowMs, node);
        for (Residency change : changes) {
            BlockHeat known =
                    change.resident() ? clusterState.heat().peek(change.block().id()) : null;
            DataNodeState home = known == null ? null : known.home();
            if (known != null
                    && home != null
                    && home != node
                    && questions.size() < most
                    && !known.isConfirmed(nowMs)
                    && home.residents().holds(known.block().id())) {
                questions.add(new Candidate(known.block(), home.uuid()));
            }
        }
        ask(nowMs, node, questions);
    }

    /** Whether the home of a block holds it, as far as the NameNode can say; one that does not is its home no more. */
    boolean isHomeReal(long nowMs, BlockHeat known) {
        DataNodeState home = known.home();
        if (home == null || known.isConfirmed(nowMs)) {
            return home != null;
        }
        Verdict verdict = verdicts.get(new Candidate(known.block(), home.uuid()));
        if (verdict != null && verdict.refutes()) {
            known.forget(home);
        }
        return verdict == Verdict.FIT;
    }
}
