package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.PolicyGaps;
import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.placement.state.PolicyGaps.Root;
import io.terrace.placement.state.PolicyGaps.Slice;
import io.terrace.placement.state.StateListener.Note;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Moves replicas to where the storage policy of their file wants them, where a rule or an annotation says {@code satisfy:
 * true}. Walks such directories when the service begins, when rules, annotations or storage policies change, and now and
 * then; a slice at a time, so seldom that the NameNode's read lock is held for a thousandth of the time at most. Where a walk stands
 * is noted, so that it goes on after a restart; without the note it begins anew, as what it has done needs nothing any more. Owned by
 * the engine's thread.
 */
final class PolicySatisfier {

    /** One nanosecond under the lock, so many without. */
    private static final long LOCK_SHARE = 1_000;

    private static final int MOST_SLICES = 64;

    /** What taking the lock costs at least. */
    private static final long LEAST_NS = 5_000;

    private static final long ENOUGH_NS = 200_000;

    private static final long NOTICE_MS = 1_000;

    /** By then all DataNodes have reported to a service that begins. */
    static final long BEGIN_MS = 3_000;

    /** After a walk that found replicas off their policy; doubled while none of them can be moved. */
    static final long FIRST_PAUSE_MS = 60_000;

    /** After a walk that found none. */
    static final long LONGEST_PAUSE_MS = 3_600_000;

    private static final int MOST_WAITING = 10_000;

    /** So often it is noted where a walk stands. */
    static final long NOTE_MS = 5_000;

    /** What changed since then may be behind where the walk stood. */
    private static final long NOTED_MS = 3_600_000;

    private final ClusterState clusterState;
    private final PolicyGaps gaps;
    private final HomeMoves homeMoves;
    private final TierSpace space;
    private final Deque<Root> toWalk = new ArrayDeque<>();
    /** The roots of the whole walk, but for those that are walked out of turn since something changed. */
    private final Set<Root> inTurn = new HashSet<>();

    private final Map<StorageTier, Set<String>> lacking = new EnumMap<>(StorageTier.class);
    private PolicySpec spec;
    private @Nullable Root walked;
    private @Nullable Position position;
    private @Nullable WalkNote before;
    private long walkNotedMs = Long.MIN_VALUE;
    private boolean isNoted;
    private boolean foundOff;
    private boolean ordered;
    private boolean all;
    private long beganMs = Long.MIN_VALUE;
    private long noticedMs = Long.MIN_VALUE;
    private long nextSliceMs = Long.MIN_VALUE;
    private long nextWalkMs = Long.MIN_VALUE;
    private long pauseMs = FIRST_PAUSE_MS;

    PolicySatisfier(ClusterState clusterState, PolicyGaps gaps, HomeMoves homeMoves, TierSpace space, PolicySpec spec) {
        this.clusterState = clusterState;
        this.gaps = gaps;
        this.homeMoves = homeMoves;
        this.space = space;
        this.spec = spec;
    }

    void rules(PolicySpec others) {
        spec = others;
        toWalk.clear();
        lacking.clear();
        walked = null;
        all = false;
        nextWalkMs = Long.MIN_VALUE;
    }

    /** Where a walk stood when the NameNode was stopped. A first walk that has begun by then looks at all, and does not need it. */
    void remember(Note note) {
        if (nextWalkMs == Long.MIN_VALUE && walked == null) {
            WalkNote read = WalkNote.of(note);
            before = read == null ? before : read;
            isNoted |= read != null;
        }
    }

    /** Whether something may be told to satisfy: annotations need a rule, whatever it says. */
    boolean isNeeded() {
        return !spec.rules().isEmpty();
    }

    /** Looks at some slices, if it is time. */
    void turn(long nowMs) {
        if (!isNeeded() || nowMs < nextSliceMs) {
            return;
        }
        if (beganMs == Long.MIN_VALUE) {
            beganMs = nowMs;
        }
        if (nowMs - beganMs < BEGIN_MS) {
            return;
        }
        if (noticedMs == Long.MIN_VALUE || nowMs - noticedMs >= NOTICE_MS) {
            noticedMs = nowMs;
            notice();
        }
        // One whose last look took long is still to be ended.
        if (!all && walked == null && toWalk.isEmpty() && (nextWalkMs == Long.MIN_VALUE || nowMs >= nextWalkMs)) {
            begin();
        }
        long heldNs = 0;
        // Many single files are looked at in one turn.
        for (int i = 0; i < MOST_SLICES && heldNs < ENOUGH_NS; i++) {
            Root root = walked == null ? toWalk.poll() : walked;
            if (root == null) {
                if (all || i > 0) {
                    end(nowMs);
                }
                break;
            }
            Slice slice = gaps.look(root, walked == null ? null : position);
            if (slice == null) {
                // One that is under way goes on where it stands.
                if (walked == null) {
                    toWalk.addFirst(root);
                }
                nextSliceMs = nowMs + NOTICE_MS;
                return;
            }
            metrics().add(Metric.PLACEMENT_SATISFY_LOOKED, slice.looked());
            slice.off().forEach(home -> close(nowMs, home));
            position = slice.next();
            walked = position == null ? null : root;
            heldNs += Math.max(LEAST_NS, slice.heldNs());
        }
        nextSliceMs = nowMs + heldNs * LOCK_SHARE / 1_000_000;
        noteWalk(nowMs);
    }

    private void noteWalk(long nowMs) {
        if (all && walked != null && position != null && inTurn.contains(walked)) {
            if (walkNotedMs == Long.MIN_VALUE || nowMs - walkNotedMs >= NOTE_MS) {
                walkNotedMs = nowMs;
                isNoted = true;
                clusterState.note(new WalkNote(walked, position).note(nowMs + NOTED_MS));
            }
        } else if (isNoted && !all) {
            isNoted = false;
            clusterState.note(WalkNote.NONE);
        }
    }

    private void begin() {
        List<Root> roots = roots();
        int from = before == null ? -1 : roots.indexOf(before.root());
        if (before != null && from >= 0) {
            walked = before.root();
            position = before.position();
        }
        toWalk.addAll(roots.subList(from + 1, roots.size()));
        inTurn.clear();
        inTurn.addAll(roots);
        before = null;
        all = true;
        lacking.clear();
        space.retain(clusterState.nodes());
        // Moves that waited are lost with the restart, so another walk is to follow soon.
        foundOff = from >= 0;
        ordered = from >= 0;
    }

    private void end(long nowMs) {
        pauseMs = !foundOff
                ? LONGEST_PAUSE_MS
                : ordered ? FIRST_PAUSE_MS : Math.max(FIRST_PAUSE_MS, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
        // A walk for a change alone brings the next whole walk nearer at most.
        nextWalkMs = all || nextWalkMs == Long.MIN_VALUE ? nowMs + pauseMs : Math.min(nextWalkMs, nowMs + pauseMs);
        all = false;
    }

    /** Of paths that changed, those that something above or below tells to satisfy are walked. */
    private void notice() {
        if (toWalk.size() >= MOST_WAITING) {
            // Changes are noted until they are asked for.
            return;
        }
        List<String> changed = gaps.changed(usersMayAsk());
        if (changed.isEmpty()) {
            return;
        }
        Set<Root> concerned = new LinkedHashSet<>();
        List<Root> roots = roots();
        for (String path : changed) {
            Root at = new Root(path, 0);
            for (Root root : roots) {
                if (root.holds(path)) {
                    concerned.add(at);
                } else if (at.holds(root.path())) {
                    concerned.add(root);
                }
            }
        }
        toWalk.removeAll(concerned);
        inTurn.removeIf(root -> concerned.contains(root) && !root.equals(walked));
        new ArrayDeque<>(concerned).descendingIterator().forEachRemaining(toWalk::addFirst);
    }

    private boolean usersMayAsk() {
        for (PathRule rule : spec.rules()) {
            if (rule.annotations().contains(AnnotationWord.SATISFY)) {
                return true;
            }
        }
        return false;
    }

    private List<Root> roots() {
        Set<Root> roots = new LinkedHashSet<>();
        for (PathRule rule : spec.rules()) {
            if (rule.satisfy()) {
                rule.path().roots().forEach(path -> roots.add(new Root(path, 0)));
            }
        }
        roots.addAll(gaps.annotated(usersMayAsk()));
        return new ArrayList<>(roots);
    }

    private void close(long nowMs, Home home) {
        PathRule rule = ruleOf(home);
        if (rule == null || home.tiers().isEmpty() || home.placed().obstacle() != null) {
            return;
        }
        HomeMoves.Outcome outcome = homeMoves.satisfy(nowMs, home, rule.name() + " satisfies storage policy ");
        foundOff |= outcome.off() > 0;
        ordered |= !outcome.open().isEmpty();
        metrics().add(Metric.PLACEMENT_SATISFY_WAITING, outcome.refusals().size());
        if (!outcome.refusals().isEmpty()) {
            noteLacking(nowMs, home);
        }
    }

    private @Nullable PathRule ruleOf(Home home) {
        PathRule rule =
                spec.ruleFor(home.placed().path(), home.placed().annotations()).rule();
        boolean satisfy = rule != null
                && rule.satisfy()
                && spec.decide(rule, home.placed().block().lengthBytes()).fits();
        return satisfy ? rule : null;
    }

    private void noteLacking(long nowMs, Home home) {
        List<StorageTier> wanted = wanted(home);
        for (PlacedReplica replica : home.placed().replicas()) {
            DataNodeState node = clusterState.nodes().get(replica.node());
            for (StorageTier tier : wanted) {
                if (node != null && node.isLive() && !space.has(nowMs, node, tier)) {
                    lacking.computeIfAbsent(tier, any -> new TreeSet<>()).add(node.name());
                }
            }
        }
    }

    /** The tiers that a replica is missing in. */
    private static List<StorageTier> wanted(Home home) {
        List<StorageTier> wanted = new ArrayList<>(home.tiers());
        home.placed().replicas().forEach(replica -> wanted.remove(replica.tier()));
        return wanted;
    }

    /** DataNodes without a volume of a tier that replicas there should be in, as of the last walk. */
    Map<StorageTier, Set<String>> lacking() {
        return lacking;
    }

    /** What holds for a block and what it waits for; null where nothing tells to satisfy. */
    @Nullable
    String sentence(long nowMs, Home home) {
        PathRule rule = ruleOf(home);
        if (rule == null) {
            return null;
        }
        HomeMoves.Outcome outcome = homeMoves.release(nowMs, home, true);
        if (outcome.off() == 0 && outcome.refusals().isEmpty()) {
            return "satisfy: all replicas are where storage policy " + home.policy() + " wants them";
        }
        String obstacle = home.placed().obstacle();
        List<String> keeping = obstacle == null ? outcome.refusals() : List.of(obstacle);
        String wanted = String.join(
                ", ", wanted(home).stream().map(tier -> TierKeeper.name(tier)).toList());
        return "satisfy: wanted " + (wanted.isEmpty() ? home.policy() : wanted) + ", waits for "
                + (keeping.isEmpty() ? "its move" : "what keeps a replica: " + String.join("; ", keeping));
    }

    private MetricRegistry metrics() {
        return clusterState.metricRegistry();
    }
}
