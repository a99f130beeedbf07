package io.terrace.placement.policyfile;

import io.terrace.conf.NearestWord;
import io.terrace.conf.TerraceSettings;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.PolicyParameter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
    private static final int MOST_NESTING = 8;

    private final ParseErrors parseErrors;
    private final String text;
    private final boolean stored;

    private PolicyFile(String name, String text, boolean stored) {
        this.parseErrors = new ParseErrors(name);
        this.text = text;
        this.stored = stored;
    }

    /**
     * @param name what errors call the file
     * @throws PolicyFileException naming every mistake with its line
     */
    public static PolicySpec read(String name, String text) throws PolicyFileException {
        return new PolicyFile(name, text, false).spec();
    }

    /**
     * The same for a policy that an earlier build may have taken: a rule that can never match, which {@link #read} refuses, is
     * no mistake.
     */
    public static PolicySpec readStored(String name, String text) throws PolicyFileException {
        return new PolicyFile(name, text, true).spec();
    }

    /** What {@link #read} has against rules that {@link #readStored} took. */
    public static List<String> rulesThatNeverMatch(PolicySpec spec) {
        return spec.rules().stream()
                .map(rule -> rule.path().neverMatches())
                .filter(Objects::nonNull)
                .toList();
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
        RuleReader ruleReader = new RuleReader(parseErrors, stored);
        SizeRange size = ruleReader.size(map, root);
        List<PoolSpec> pools = new PoolReader(parseErrors, this::parameters, names)
                .read(map, policy == null ? "" : policy, parameters);
        List<PathRule> rules = new ArrayList<>();
        List<Node> entries = map.list("rules");
        if (entries.size() > PolicySpec.MOST_RULES) {
            parseErrors.add(entries.get(0), entries.size() + " rules; there may be " + PolicySpec.MOST_RULES);
        }
        for (Node entry : entries) {
            PathRule rule = ruleReader.read(rules.size() + 1, entry, pools);
            if (rule != null) {
                rules.add(rule);
            }
        }
        parseErrors.throwIfAny();
        unused(map, pools, rules);
        new TierShareReader(parseErrors).checkRules(map.node("pools"), pools, rules);
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
}
