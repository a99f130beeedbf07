package io.terrace.placement.policyfile;

import io.terrace.policy.PooledPolicy;
import io.terrace.policy.api.PoolShare;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/** Reads the pools of a policy file. The one called {@value PoolSpec#REST} comes first, whether it is listed or not. */
final class PoolReader {

    private static final List<String> KEYS = List.of("name", "share", "most", "lend", "tiers", "policy", "parameters");
    /** As for HDFS's cache pools, but without blanks, so that a name fits into a table. */
    static final String NAME = "[a-zA-Z0-9_.-]{1,64}";

    private final ParseErrors parseErrors;
    private final BiFunction<String, @Nullable Node, Map<String, String>> parameters;
    private final List<String> policies;
    private final TierShareReader tierShares;

    PoolReader(
            ParseErrors parseErrors,
            BiFunction<String, @Nullable Node, Map<String, String>> parameters,
            List<String> policies) {
        this.parseErrors = parseErrors;
        this.parameters = parameters;
        this.policies = policies;
        this.tierShares = new TierShareReader(parseErrors);
    }

    /**
     * @param policy that of pools without one of their own
     * @param given its parameters
     */
    List<PoolSpec> read(YamlMap file, String policy, Map<String, String> given) {
        List<Node> entries = file.list("pools");
        if (entries.isEmpty()) {
            return List.of();
        }
        if (entries.size() > PooledPolicy.MOST_POOLS - 1) {
            parseErrors.add(entries.get(0), entries.size() + " pools; there may be " + (PooledPolicy.MOST_POOLS - 1));
            return List.of();
        }
        List<PoolSpec> pools = new ArrayList<>();
        Set<String> names = new HashSet<>();
        PoolSpec rest = new PoolSpec(new PoolShare(PoolSpec.REST, 0, 1, true), Map.of(), policy, given);
        double sum = 0;
        for (Node entry : entries) {
            PoolSpec pool = pool(pools.size() + 1, entry, policy, given);
            if (pool == null) {
                continue;
            }
            if (!names.add(pool.name())) {
                parseErrors.add(entry, "two pools are called '" + pool.name() + "'");
            } else if (pool.name().equals(PoolSpec.REST)) {
                rest = pool;
            } else {
                pools.add(pool);
                sum += pool.share().share();
            }
        }
        if (sum > 1 + 1e-9) {
            parseErrors.add(
                    entries.get(0),
                    "the pools' shares add up to " + Math.round(sum * 100) + "%; at most 100% can be had");
            return List.of();
        }
        double left = Math.max(0, 1 - sum);
        double most = Math.max(left, rest.share().most());
        PoolShare share = new PoolShare(PoolSpec.REST, left, most, rest.share().lends());
        pools.add(
                0,
                new PoolSpec(
                        share, tierShares.rest(entries.get(0), rest.tiers(), pools), rest.policy(), rest.parameters()));
        return pools;
    }

    private @Nullable PoolSpec pool(int number, Node node, String policy, Map<String, String> given) {
        YamlMap map = new YamlMap(node, "pool " + number, KEYS, parseErrors);
        String name = map.text("name");
        if (name == null || !name.matches(NAME)) {
            parseErrors.add(node, "pool " + number + " needs a name of at most 64 letters, digits, '_', '-' or '.'");
            return null;
        }
        boolean isRest = name.equals(PoolSpec.REST);
        double share = map.share("share");
        double most = map.share("most");
        if (isRest && map.has("share")) {
            parseErrors.add(node, "pool default has what the others leave; it takes no share");
        } else if (!isRest && !map.has("share")) {
            parseErrors.add(node, "pool '" + name + "' needs a share of the memory, e.g. share: 30%");
        }
        if (most < share) {
            parseErrors.add(node, "pool '" + name + "': most is below share");
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
            parseErrors.add(node, "pool '" + name + "': parameters go with a policy of its own");
        }
        return new PoolSpec(
                new PoolShare(name, share, Double.isNaN(most) ? share : most, lends),
                tierShares.read(map.node("tiers"), name, lends),
                own == null ? policy : own,
                own == null ? given : parameters.apply(own, map.node("parameters")));
    }
}
