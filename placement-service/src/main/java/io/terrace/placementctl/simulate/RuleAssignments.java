package io.terrace.placementctl.simulate;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.cluster.ReplayedNamespace.Paths;
import io.terrace.policy.firstread.FileBlocks;
import io.terrace.policy.replay.Trace;
import io.terrace.protocol.proto.AdminProtos.AccessRulesRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesResponseProto;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which rule of a policy holds for each object of a simulation, which objects are of directories that are alike, and which are
 * blocks of one file.
 *
 * @param rules by object: the number of the rule, 0 for none, {@link #UNKNOWN} where the object's path is not known
 * @param directories by object: a number that objects of like directories have in common, 0 where it is not known
 * @param files null where none is known
 */
public record RuleAssignments(int[] rules, long[] directories, @Nullable FileBlocks files) {

    static final int UNKNOWN = -1;

    /** Of objects that are not known to be blocks of files. */
    public RuleAssignments(int[] rules, long[] directories) {
        this(rules, directories, null);
    }

    /** Of objects without paths. */
    public static RuleAssignments none(int objects) {
        int[] rules = new int[objects];
        Arrays.fill(rules, UNKNOWN);
        return new RuleAssignments(rules, new long[objects]);
    }

    /** Of objects without paths, whose names say which are alike. */
    public static RuleAssignments byName(Trace trace) {
        RuleAssignments none = none(trace.objects());
        for (int object = 0; object < trace.objects(); object++) {
            none.directories[object] = trace.group(object) + 1;
        }
        return none;
    }

    /**
     * Lets the service try a policy's rules on the paths of the blocks in its log of accesses.
     *
     * @param numbers of the objects, by block id
     */
    public static RuleAssignments fetch(
            AdminClient client, long fromMs, String policyText, Trace trace, Map<String, Integer> numbers)
            throws Refused, Unreachable {
        LoggedFiles.Builder files = new LoggedFiles.Builder(trace);
        RuleAssignments found = none(numbers.size());
        AccessRulesRequestProto request = AccessRulesRequestProto.newBuilder()
                .setFromMs(fromMs)
                .setPolicyText(policyText)
                .build();
        while (true) {
            AccessRulesRequestProto asked = request;
            AccessRulesResponseProto answer = client.active(service -> service.accessRules(null, asked));
            for (int i = 0; i < answer.getBlocksCount(); i++) {
                Integer object = numbers.get(Long.toString(answer.getBlocks(i)));
                if (object != null) {
                    found.rules[object] = answer.getRules(i);
                    found.directories[object] = answer.getDirectories(i);
                    if (i < answer.getFilesCount()) {
                        files.add(object, answer.getBlocks(i), answer.getFiles(i));
                    }
                }
            }
            if (!answer.hasNextSegment()) {
                return new RuleAssignments(found.rules, found.directories, files.build());
            }
            request = request.toBuilder()
                    .setSegment(answer.getNextSegment())
                    .setOffset(answer.getNextOffset())
                    .build();
        }
    }

    /** What objects of like directories have in common; null where that is not known. */
    @Nullable
    String directory(long object) {
        long directory = directories[(int) object];
        return directory == 0 ? null : Long.toString(directory);
    }

    /** What is known of the paths, for a replay over DataNodes. */
    Paths paths() {
        return new Paths(this::of, object -> directories[object], files);
    }

    int of(long object) {
        return rules[(int) object];
    }

    public long matched() {
        return Arrays.stream(rules).filter(rule -> rule > 0).count();
    }

    public long unknown() {
        return Arrays.stream(rules).filter(rule -> rule == UNKNOWN).count();
    }
}
