package io.terrace.placementctl;

import io.terrace.protocol.proto.AdminProtos.AccessRulesRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesResponseProto;
import java.util.Arrays;
import java.util.Map;

/**
 * Which rule of a policy holds for each object of a simulation.
 *
 * @param rules by object: the number of the rule, 0 for none, {@link #UNKNOWN} where the object's path is not known
 */
record LoggedRules(int[] rules) {

    static final int UNKNOWN = -1;

    /** Of objects without paths. */
    static LoggedRules none(int objects) {
        int[] rules = new int[objects];
        Arrays.fill(rules, UNKNOWN);
        return new LoggedRules(rules);
    }

    /**
     * Lets the service try a policy's rules on the paths of the blocks in its log of accesses.
     *
     * @param numbers of the objects, by block id
     */
    static LoggedRules fetch(AdminClient client, long fromMs, String policyText, Map<String, Integer> numbers)
            throws Refused, Unreachable {
        LoggedRules found = none(numbers.size());
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
                }
            }
            if (!answer.hasNextSegment()) {
                return found;
            }
            request = request.toBuilder()
                    .setSegment(answer.getNextSegment())
                    .setOffset(answer.getNextOffset())
                    .build();
        }
    }

    int of(long object) {
        return rules[(int) object];
    }

    long matched() {
        return Arrays.stream(rules).filter(rule -> rule > 0).count();
    }

    long unknown() {
        return Arrays.stream(rules).filter(rule -> rule == UNKNOWN).count();
    }
}
