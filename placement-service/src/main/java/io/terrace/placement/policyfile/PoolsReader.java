package io.terrace.placement.policyfile;

import io.terrace.policy.pool.PoolShare;
import io.terrace.policy.pool.PooledPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/** Reads the pools of a policy file. The one called {@value Pool#REST} comes first, whether it is listed or not. */
final class PoolsReader {

    private static final List<String> KEYS = List.of("name", "share", "most", "lend", "policy", "parameters");
    /** As for HDFS's cache pools, but without blanks, so that a name stands in a table. */
    private static final String NAME = "[a-zA-Z0-9_.-]{1,64}";

    private final Complaints complaints;
    private final BiFunction<String, @Nullable Node, Map<String, String>> parameters;
    private final List<String> policies;

    PoolsReader(
            Complaints complaints,
            BiFunction<String, @Nullable Node, Map<String, String>> parameters,
            List<String> policies) {
        this.complaints = complaints;
        this.parameters = parameters;
        this.policies = policies;
    }

    /**
     * @param policy that of pools without one of their own
     * @param given its parameters
     */
    List<Pool> read(YamlMap file, String policy, Map<String, String> given) {
        List<Node> entries = file.list("pools");
        if (entries.isEmpty()) {
            return List.of();
        }
        if (entries.size() > PooledPolicy.MOST_POOLS - 1) {
            complaints.add(entries.get(0), entries.size() + " pools; there may be " + (PooledPolicy.MOST_POOLS - 1));
            return List.of();
        }
        List<Pool> pools = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Pool rest = new Pool(new PoolShare(Pool.REST, 0, 1, true), policy, given);
        double sum = 0;
        for (Node entry : entries) {
            Pool pool = pool(pools.size() + 1, entry, policy, given);
            if (pool == null) {
                continue;
            }
            if (!names.add(pool.name())) {
                complaints.add(entry, "two pools are called '" + pool.name() + "'");
            } else if (pool.name().equals(Pool.REST)) {
                rest = pool;
            } else {
                pools.add(pool);
                sum += pool.share().share();
            }
        }
        if (sum > 1 + 1e-9) {
            complaints.add(
                    entries.get(0),
                    "the pools' shares add up to " + Math.round(sum * 100) + "%; at most 100% can be had");
            return List.of();
        }
        double left = Math.max(0, 1 - sum);
        double most = Math.max(left, rest.share().most());
        PoolShare share = new PoolShare(Pool.REST, left, most, rest.share().lends());
        pools.add(0, new Pool(share, rest.policy(), rest.parameters()));
        return pools;
    }

    private @Nullable Pool pool(int number, Node node, String policy, Map<String, String> given) {
        YamlMap map = new YamlMap(node, "pool " + number, KEYS, complaints);
        String name = map.text("name");
        if (name == null || !name.matches(NAME)) {
            complaints.add(node, "pool " + number + " needs a name of at most 64 letters, digits, '_', '-' or '.'");
            return null;
        }
        boolean isRest = name.equals(Pool.REST);
        double share = map.share("share");
        double most = map.share("most");
        if (isRest && map.has("share")) {
            complaints.add(node, "pool default has what the others leave; it takes no share");
        } else if (!isRest && !map.has("share")) {
            complaints.add(node, "pool '" + name + "' needs a share of the memory, e.g. share: 30%");
        }
        if (most < share) {
            complaints.add(node, "pool '" + name + "': most is below share");
            return null;
        }
        if (isRest) {
            share = 0;
            most = Double.isNaN(most) ? 1 : most;
        } else if (Double.isNaN(share)) {
            return null;
        }
        boolean lends = map.truth("lend", true);
        String own = map.word("policy", policies);
        if (own == null && map.has("parameters")) {
            complaints.add(node, "pool '" + name + "': parameters go with a policy of its own");
        }
        return new Pool(
                new PoolShare(name, share, Double.isNaN(most) ? share : most, lends),
                own == null ? policy : own,
                own == null ? given : parameters.apply(own, map.node("parameters")));
    }
}
