package io.terrace.placement.policyfile;

import io.terrace.conf.NearestWord;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.PolicyParameter;
import io.terrace.policy.api.TierSpec;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads a policy file (YAML; {@code conf/placement.yaml} explains each key) and checks it whole. Only the tree of the
 * document is built, no objects, so nothing in a file can name a class. The calls of SnakeYAML that are used are the
 * same in 2.0, which Hadoop brings for YARN, and later.
 */
public final class PolicyFile {

    /** So large a file fits the extended attribute that keeps applied policies. */
    public static final int MOST_BYTES = 32 << 10;

    private static final List<String> KEYS = List.of("policy", "parameters", "smallest", "largest", "pools", "rules");
    private static final List<String> RULE_KEYS =
            List.of("path", "place", "tier", "tiers", "replicas", "pool", "weight", "most", "smallest", "largest");
    private static final List<String> PLACES = Stream.of(Place.values())
            .map(place -> place.name().toLowerCase(Locale.ROOT))
            .toList();
    private static final List<String> DECIDING_KEYS = List.of("place", "tier", "tiers", "pool", "smallest", "largest");
    private static final List<String> TIERS =
            PolicySpec.TIERS.tiers().stream().map(TierSpec::name).toList();
    private static final List<String> REPLICAS = List.of("one", "all");
    private static final int MOST_WEIGHT = 100;
    private static final int MOST_NESTING = 8;

    private final ParseErrors parseErrors;
    private final String text;

    private PolicyFile(String name, String text) {
        this.parseErrors = new ParseErrors(name);
        this.text = text;
    }

    /**
     * @param name what errors call the file
     * @throws PolicyFileException naming every mistake with its line
     */
    public static PolicySpec read(String name, String text) throws PolicyFileException {
        return new PolicyFile(name, text).spec();
    }

    private PolicySpec spec() throws PolicyFileException {
        if (text.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            parseErrors.add(Optional.empty(), "it is larger than " + MOST_BYTES + " bytes");
            parseErrors.throwIfAny();
        }
        Node root = tree();
        parseErrors.throwIfAny();
        if (root == null) {
            parseErrors.add(Optional.empty(), "it is empty; it needs at least 'policy: NAME'");
            parseErrors.throwIfAny();
            throw new IllegalStateException("parse errors were not thrown");
        }
        YamlMap map = new YamlMap(root, "the policy file", KEYS, parseErrors);
        List<String> names =
                PolicyCatalog.kinds().stream().map(PolicyKind::name).toList();
        String policy = map.word("policy", names);
        if (!map.has("policy")) {
            parseErrors.add(root, "there is no key 'policy'; it must be one of " + String.join(", ", names));
        }
        Map<String, String> parameters = policy == null ? Map.of() : parameters(policy, map.node("parameters"));
        SizeRange size = size(map, root);
        List<PoolSpec> pools = new PoolReader(parseErrors, this::parameters, names)
                .read(map, policy == null ? "" : policy, parameters);
        List<PathRule> rules = new ArrayList<>();
        List<Node> entries = map.list("rules");
        if (entries.size() > PolicySpec.MOST_RULES) {
            parseErrors.add(entries.get(0), entries.size() + " rules; there may be " + PolicySpec.MOST_RULES);
        }
        for (Node entry : entries) {
            PathRule rule = rule(rules.size() + 1, entry, pools);
            if (rule != null) {
                rules.add(rule);
            }
        }
        parseErrors.throwIfAny();
        unused(map, pools, rules);
        parseErrors.throwIfAny();
        return new PolicySpec(policy == null ? "" : policy, parameters, size, pools, rules, text);
    }

    private void unused(YamlMap map, List<PoolSpec> pools, List<PathRule> rules) {
        for (int i = 1; i < pools.size(); i++) {
            int number = i;
            if (rules.stream().noneMatch(rule -> rule.pool() == number)) {
                Node where = Objects.requireNonNull(map.node("pools"));
                parseErrors.add(
                        where,
                        "no rule sends files to pool '" + pools.get(i).name() + "'; add one with 'pool: "
                                + pools.get(i).name() + "', or take the pool out");
            }
        }
    }

    private @Nullable Node tree() {
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(MOST_NESTING);
        options.setCodePointLimit(MOST_BYTES);
        try {
            return new Yaml(options).compose(new StringReader(text));
        } catch (MarkedYAMLException e) {
            parseErrors.add(Optional.ofNullable(e.getProblemMark()), "it is no YAML: " + e.getProblem());
        } catch (YAMLException e) {
            parseErrors.add(Optional.empty(), "it is no YAML: " + e.getMessage());
        }
        return null;
    }

    private Map<String, String> parameters(String policy, @Nullable Node node) {
        Map<String, PolicyParameter> known = new HashMap<>();
        PolicyCatalog.kinds().stream()
                .filter(kind -> kind.name().equals(policy))
                .flatMap(kind -> kind.parameters().stream())
                .forEach(parameter -> known.put(parameter.name(), parameter));
        Map<String, String> values = new HashMap<>();
        // A NameNode has a policy for each DataNode; the policies' own defaults are meant for one in all.
        for (String bound : List.of("remembered", "tracked")) {
            if (known.containsKey(bound)) {
                values.put(bound, TerraceSettings.PLACEMENT_IDECIDER_REMEMBERED.defaultText());
            }
        }
        if (node == null) {
            return values;
        }
        YamlMap map = new YamlMap(node, "parameters", null, parseErrors);
        for (String name : map.keys()) {
            Node value = map.node(name);
            String given = map.text(name);
            if (value == null || given == null) {
                continue;
            }
            if (!known.containsKey(name)) {
                parseErrors.add(
                        value,
                        "policy " + policy + " has no parameter '" + name + "'; did you mean '"
                                + NearestWord.of(name, known.keySet()) + "'?");
                continue;
            }
            try {
                PolicyCatalog.create(policy, Map.of(name, given), PolicySpec.TIERS);
                values.put(name, given);
            } catch (IllegalArgumentException e) {
                parseErrors.add(value, String.valueOf(e.getMessage()));
            }
        }
        return values;
    }

    private SizeRange size(YamlMap map, Node where) {
        SizeRange bounds = new SizeRange(map.bytes("smallest", 0, 0), map.bytes("largest", 1, Long.MAX_VALUE));
        if (bounds.smallestBytes() > bounds.largestBytes()) {
            parseErrors.add(where, "smallest is above largest: no block would be left");
        }
        return bounds;
    }

    private @Nullable PathRule rule(int number, Node node, List<PoolSpec> pools) {
        String what = "rule " + number;
        YamlMap map = new YamlMap(node, what, RULE_KEYS, parseErrors);
        SizeRange size = size(map, node);
        String path = map.text("path");
        PathGlob glob = null;
        if (path == null) {
            if (!map.has("path")) {
                parseErrors.add(node, what + " needs a path, e.g. path: /warehouse/**");
            }
        } else {
            try {
                glob = PathGlob.of(path);
            } catch (IllegalArgumentException e) {
                parseErrors.add(node, what + ": " + e.getMessage());
            }
        }
        String word = map.word("place", PLACES);
        Place place = word == null ? Place.ALLOW : Place.valueOf(word.toUpperCase(Locale.ROOT));
        checkKeys(map, node, what, place);
        place = inTier(map, node, what, place);
        int pool = pool(map, node, what, place, pools);
        int weight = map.whole("weight", 2, MOST_WEIGHT, place == Place.PREFER ? 4 : 1);
        long most = map.bytes("most", 1, Long.MAX_VALUE);
        return glob == null
                ? null
                : new PathRule(number, glob, place, weight, size, pool, most, range(map, node, what));
    }

    private void checkKeys(YamlMap map, Node node, String what, Place place) {
        if (map.has("weight") && place != Place.PREFER) {
            parseErrors.add(node, what + ": weight goes with place: prefer");
        }
        if (map.has("most") && place != Place.PIN) {
            parseErrors.add(node, what + ": most goes with place: pin");
        }
        if (place == Place.ALLOW && DECIDING_KEYS.stream().noneMatch(map::has)) {
            parseErrors.add(
                    node,
                    what + " says nothing; give it a place (" + String.join(", ", PLACES)
                            + "), tiers, a pool or a size");
        }
    }

    /** The tiers that a rule's replicas are kept in. */
    private @Nullable TierRange range(YamlMap map, Node node, String what) {
        String replicas = map.word("replicas", REPLICAS);
        String text = map.text("tiers");
        Node where = map.node("tiers");
        if (text == null || where == null) {
            if (replicas != null && !map.has("tiers")) {
                parseErrors.add(node, what + ": replicas goes with tiers, e.g. tiers: ssd..disk");
            }
            return null;
        }
        try {
            return TierRange.parse(text, "all".equals(replicas));
        } catch (IllegalArgumentException e) {
            parseErrors.add(where, what + ": " + e.getMessage());
            return null;
        }
    }

    /** The fastest tier that a rule's blocks may be in. */
    private Place inTier(YamlMap map, Node node, String what, Place place) {
        String tier = map.text("tier");
        Node where = map.node("tier");
        if (tier == null || where == null) {
            return place;
        }
        if (!TIERS.contains(tier)) {
            parseErrors.add(
                    where,
                    "tier is '" + tier
                            + "', to which Terrace moves no blocks; it must be memory, or home for where HDFS"
                            + " put the replica (its medium is the storage policy's: hdfs storagepolicies)");
            return place;
        }
        if (tier.equals("memory")) {
            if (place == Place.NEVER) {
                parseErrors.add(node, what + ": tier: memory contradicts place: never");
            }
            return place;
        }
        if (place != Place.NEVER && map.has("place")) {
            parseErrors.add(node, what + ": tier: home means place: never");
        }
        return Place.NEVER;
    }

    private int pool(YamlMap map, Node node, String what, Place place, List<PoolSpec> pools) {
        List<String> names = pools.stream().map(PoolSpec::name).toList();
        if (!map.has("pool")) {
            return 0;
        }
        if (place == Place.NEVER || place == Place.PIN) {
            parseErrors.add(node, what + ": pool goes with place: allow or prefer; pins take no part of a pool");
        } else if (names.isEmpty()) {
            parseErrors.add(node, what + ": there are no pools; define them under 'pools'");
        } else {
            String name = map.word("pool", names);
            return name == null ? 0 : names.indexOf(name);
        }
        return 0;
    }
}
