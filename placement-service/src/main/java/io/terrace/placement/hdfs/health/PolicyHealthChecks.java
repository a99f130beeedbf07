package io.terrace.placement.hdfs.health;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.PolicyFileWatch;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.journal.Journal;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code placementctl doctor} finds wrong with the operator state, the policy, the log of accesses and the journal. */
public final class PolicyHealthChecks {

    private static final int NODES_NAMED = 5;

    private PolicyHealthChecks() {}

    /** What is wrong with operator state, policy and log; on the engine's thread. */
    public static List<FindingProto> find(
            PlacementEngine placement,
            OperatorStateStore store,
            PolicyStore policyStore,
            MetricRegistry metricRegistry) {
        List<FindingProto> found = new ArrayList<>();
        String unreadable = store.problem();
        if (unreadable != null) {
            found.add(finding(
                    "orders.unreadable",
                    Severity.ERROR,
                    "pins, pause and off cannot be read from " + OperatorStateStore.NAME + " of /: it is "
                            + (placement.operatorState().serve() ? "as it was told last" : "off until they can"),
                    "placementctl on and resume, or off, store them anew, without the pins that stood there; or put the"
                            + " attribute right, or remove it (hdfs dfs -setfattr): it is read again each second"));
        }
        String unusable = policyStore.problem();
        if (unusable != null) {
            found.add(finding(
                    "policy.unreadable",
                    Severity.ERROR,
                    unusable + "; the configured one is in force",
                    "go back to the release that applied it, or apply another policy (placementctl policy apply FILE, or"
                            + " --configured); where " + PolicyStore.NAME + " cannot be read, remove it first (hdfs dfs"
                            + " -setfattr -x " + PolicyStore.NAME + " /)"));
        }
        PolicyFileWatch file = policyStore.file();
        String fileProblem = file == null ? null : file.problem();
        if (file != null && fileProblem != null) {
            found.add(finding(
                    "policy.file",
                    Severity.ERROR,
                    "the policy file was rejected; the policy in force is unchanged: "
                            + where(file.file().toString(), fileProblem),
                    "correct the file (placementctl policy check FILE); it is read again within seconds. placementctl policy show"
                            + " says more to those who may change placement"));
        }
        if (placement.isActive() && policyStore.hidesFile(placement)) {
            found.add(finding(
                    "policy.hidden",
                    Severity.NOTE,
                    "an applied policy is in force, not that of the policy file",
                    "placementctl policy apply --configured goes back to the file"));
        }
        String problem = placement.policyProblem();
        if (problem != null) {
            found.add(finding(
                    "policy.failed",
                    Severity.ERROR,
                    problem + "; " + placement.policyInForce().spec().policy() + " is in force",
                    "put the jars that bin/terrace-classpath server prints (in a source tree: bin/terrace classpath), all of"
                            + " one build, on the NameNode's class path, or apply another policy"));
        }
        placement
                .lacking()
                .forEach((tier, nodes) -> found.add(finding(
                        "satisfy.volume",
                        Severity.WARNING,
                        "no " + tier + " volume on " + some(nodes)
                                + ", where storage policies of files with satisfy: true" + " want replicas in it",
                        "add a volume of that type there, or run hdfs mover, which takes replicas to other DataNodes, or"
                                + " set another storage policy")));
        long leftOut = placement.reports().pinnedBlocksLeftOut();
        if (leftOut > 0) {
            found.add(finding(
                    "pins.left-out",
                    Severity.WARNING,
                    leftOut + " blocks of pinned files and directories are not kept in memory: the service looks after "
                            + PinnedBlocks.MOST_BLOCKS + " pinned blocks at most",
                    "pin less, or leave it to the policy; placementctl pins shows which directories have too many"));
        }
        placement
                .tiersLeft()
                .forEach(left -> found.add(finding(
                        "tier.left",
                        Severity.WARNING,
                        left.text(),
                        "placementctl report shows read times; see what slows the tier's devices or its host down")));
        long lost = metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST);
        if (lost > 0) {
            found.add(finding(
                    "access-log.lost",
                    Severity.WARNING,
                    lost + " accesses were not logged since the NameNode started",
                    "look at the disk of terrace.placement.access-log.dir; its failures stand in the NameNode's log"));
        }
        return found;
    }

    /** What is wrong with the journal; nothing where none is configured. */
    public static List<FindingProto> ofJournal(@Nullable Journal journal, MetricRegistry metricRegistry) {
        String problem = journal == null ? null : journal.problem();
        if (problem != null) {
            int remedy = problem.lastIndexOf(": ");
            return List.of(finding(
                    "journal.off",
                    Severity.WARNING,
                    "heat and moves are not kept, and " + (remedy < 0 ? problem : problem.substring(0, remedy)),
                    remedy < 0 ? "see the NameNode's log" : problem.substring(remedy + 2)));
        }
        long lost = metricRegistry.value(Metric.PLACEMENT_JOURNAL_MOVES_LOST);
        if (lost > 0) {
            return List.of(finding(
                    "journal.lost",
                    Severity.NOTE,
                    lost + " moves since the NameNode started are not in the journal, as its disk was too slow",
                    "set terrace.placement.journal.dir to a faster disk"));
        }
        return List.of();
    }

    private static String some(Set<String> nodes) {
        String first = String.join(", ", nodes.stream().limit(NODES_NAMED).toList());
        return nodes.size() <= NODES_NAMED ? first : first + " and " + (nodes.size() - NODES_NAMED) + " more DataNodes";
    }

    /**
     * Where the file is wrong, and nothing that it says: anybody may ask, and patterns name directories that not everybody may
     * know of, also where their quotes or slashes are forgotten.
     */
    private static String where(String file, String problem) {
        List<String> lines = Pattern.compile(Pattern.quote(file) + ":(\\d+): ")
                .matcher(problem)
                .results()
                .map(line -> line.group(1))
                .distinct()
                .toList();
        if (!lines.isEmpty()) {
            return "see " + (lines.size() == 1 ? "line " : "lines ") + String.join(", ", lines);
        }
        return problem.startsWith(file + " ") ? "it" + problem.substring(file.length()) : "it has a mistake";
    }

    private static FindingProto finding(String id, Severity severity, String text, String remedy) {
        return HealthChecks.finding("NameNode", new HealthFinding(id, severity, text, remedy));
    }
}
