package io.terrace.placement.policyfile;

import io.terrace.common.StorageTier;
import io.terrace.conf.NearestWord;
import io.terrace.policy.api.PoolShare;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/** Reads and checks the pools' parts of the tiers that replicas are in: the key {@code tiers} of a pool. */
final class TierShareReader {

    private static final List<String> KEYS = List.of("share", "most", "lend");

    private final ParseErrors parseErrors;

    TierShareReader(ParseErrors parseErrors) {
        this.parseErrors = parseErrors;
    }

    /**
     * The shares of one pool. Those of the first pool are 0 until {@link #rest}.
     *
     * @param lends whether the pool lends where a tier does not say
     */
    Map<StorageTier, PoolShare> read(@Nullable Node tiers, String pool, boolean lends) {
        Map<StorageTier, PoolShare> shares = new EnumMap<>(StorageTier.class);
        if (tiers == null) {
            return shares;
        }
        YamlMap map = new YamlMap(tiers, "tiers of pool '" + pool + "'", null, parseErrors);
        for (String word : map.keys()) {
            Node node = map.node(word);
            if (node == null) {
                continue;
            }
            if (word.equals("memory")) {
                parseErrors.add(
                        node,
                        "pool '" + pool + "': memory is not one of its tiers; give its part of memory by share and most"
                                + " of the pool itself");
            } else if (!TierRange.WORDS.contains(word)) {
                parseErrors.add(
                        node,
                        "unknown tier '" + word + "' in tiers of pool '" + pool + "'; it must be one of "
                                + String.join(", ", TierRange.WORDS) + "; did you mean '"
                                + NearestWord.of(word, TierRange.WORDS) + "'?");
            } else {
                PoolShare share = share(node, pool, word, lends);
                if (share != null) {
                    shares.put(StorageTier.valueOf(word.toUpperCase(Locale.ROOT)), share);
                }
            }
        }
        return shares;
    }

    private @Nullable PoolShare share(Node node, String pool, String tier, boolean lends) {
        YamlMap map = new YamlMap(node, tier + " of pool '" + pool + "'", KEYS, parseErrors);
        boolean isRest = pool.equals(PoolSpec.REST);
        double share = map.share("share");
        double most = map.share("most");
        boolean lend = map.truth("lend", lends);
        if (isRest) {
            if (map.has("share")) {
                parseErrors.add(node, "pool default has what the others leave of " + tier + "; it takes no share");
            }
            return new PoolShare(pool, 0, Double.isNaN(most) ? 1 : most, lend);
        }
        if (!map.has("share")) {
            parseErrors.add(node, "pool '" + pool + "' needs a share of " + tier + ", e.g. " + tier + ": {share: 30%}");
        }
        if (most < share) {
            parseErrors.add(
                    node,
                    "pool '" + pool + "': most of " + tier + " is below its share; give it " + percent(share)
                            + " or more, or leave it out");
            return null;
        }
        return Double.isNaN(share) ? null : new PoolShare(pool, share, Double.isNaN(most) ? share : most, lend);
    }

    /**
     * The shares of the first pool: what the others leave of each tier that any pool lists.
     *
     * @param given what the file says of the first pool
     */
    Map<StorageTier, PoolShare> rest(Node where, Map<StorageTier, PoolShare> given, List<PoolSpec> others) {
        Map<StorageTier, PoolShare> shares = new EnumMap<>(StorageTier.class);
        for (StorageTier tier : StorageTier.values()) {
            double sum = 0;
            boolean divided = given.containsKey(tier);
            for (PoolSpec other : others) {
                PoolShare share = other.tiers().get(tier);
                sum += share == null ? 0 : share.share();
                divided |= share != null;
            }
            if (sum > 1 + 1e-9) {
                parseErrors.add(
                        where,
                        "the pools' shares of " + name(tier) + " add up to " + percent(sum)
                                + "; at most 100% can be had: lower some of them");
            } else if (divided) {
                double left = Math.max(0, 1 - sum);
                PoolShare said = given.get(tier);
                shares.put(
                        tier,
                        new PoolShare(
                                PoolSpec.REST,
                                left,
                                said == null ? 1 : Math.max(left, said.most()),
                                said == null || said.lends()));
            }
        }
        return shares;
    }

    /** A pool's blocks must be able to get into the tiers that it has parts of. */
    void checkRules(@Nullable Node where, List<PoolSpec> pools, List<PathRule> rules) {
        for (int pool = 0; where != null && pool < pools.size(); pool++) {
            PoolSpec spec = pools.get(pool);
            for (StorageTier tier : StorageTier.values()) {
                // What no other pool leaves of a tier is the first one's without being asked for.
                if (pool > 0 && spec.tiers().containsKey(tier) && !mayReach(pool, tier, rules)) {
                    parseErrors.add(
                            where,
                            "pool '" + spec.name() + "' has a share of " + name(tier) + ", but no rule with 'pool: "
                                    + spec.name() + "' has tiers with " + name(tier) + "; widen the tiers of such a"
                                    + " rule, or take " + name(tier) + " out of the pool");
                }
            }
        }
    }

    private static boolean mayReach(int pool, StorageTier tier, List<PathRule> rules) {
        for (PathRule rule : rules) {
            if (rule.pool() == pool
                    && (rule.tiers() != null
                            ? rule.tiers().contains(tier)
                            : rule.annotations().contains(AnnotationWord.TIERS))) {
                return true;
            }
        }
        return false;
    }

    private static String percent(double part) {
        return Math.round(part * 100) + "%";
    }

    private static String name(StorageTier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }
}
