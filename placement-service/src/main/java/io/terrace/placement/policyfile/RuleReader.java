package io.terrace.placement.policyfile;

import io.terrace.common.PathGlob;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.policy.api.TierSpec;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** Reads the rules of a policy file. */
final class RuleReader {

    private static final List<String> KEYS = List.of(
            "path",
            "place",
            "tier",
            "tiers",
            "replicas",
            "keep",
            "write",
            "satisfy",
            "pool",
            "weight",
            "most",
            "smallest",
            "largest",
            "annotations");
    private static final List<String> PLACES = AnnotationWord.PLACES;
    private static final List<String> DECIDING_KEYS =
            List.of("place", "tier", "tiers", "write", "satisfy", "pool", "smallest", "largest", "annotations");
    private static final List<String> TIERS =
            PolicySpec.TIERS.tiers().stream().map(TierSpec::name).toList();

    private final ParseErrors parseErrors;
    private final boolean stored;

    /** @param stored of a policy that was taken before: what only later builds refuse is no error */
    RuleReader(ParseErrors parseErrors, boolean stored) {
        this.parseErrors = parseErrors;
        this.stored = stored;
    }

    /** A rule; null, with an error, where its path is wrong. */
    @Nullable
    PathRule read(int number, Node node, List<PoolSpec> pools) {
        String what = "rule " + number;
        YamlMap map = new YamlMap(node, what, KEYS, parseErrors);
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
                String never = stored ? null : glob.neverMatches();
                if (never != null) {
                    parseErrors.add(node, what + ": " + never);
                }
            } catch (IllegalArgumentException e) {
                parseErrors.add(node, what + ": " + e.getMessage());
            }
        }
        String word = map.word("place", PLACES);
        Place place = word == null ? Place.ALLOW : Place.valueOf(word.toUpperCase(Locale.ROOT));
        checkKeys(map, node, what, place);
        place = inTier(map, node, what, place);
        int pool = pool(map, node, what, place, pools);
        int weight = map.whole(
                "weight", AnnotationWord.LEAST_WEIGHT, AnnotationWord.MOST_WEIGHT, place == Place.PREFER ? 4 : 1);
        long most = map.bytes("most", 1, Long.MAX_VALUE);
        return glob == null
                ? null
                : new PathRule(
                        number,
                        glob,
                        place,
                        weight,
                        size,
                        pool,
                        most,
                        range(map, node, what),
                        write(map, node, what, place),
                        satisfy(map, node, what),
                        annotations(map, what),
                        false);
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
                            + "), tiers, write, satisfy, a pool or a size");
        }
    }

    /** The words for which annotations of users may ask for more. */
    private Set<AnnotationWord> annotations(YamlMap map, String what) {
        Set<AnnotationWord> words = EnumSet.noneOf(AnnotationWord.class);
        for (Node entry : map.list("annotations")) {
            try {
                words.add(AnnotationWord.of(entry instanceof ScalarNode scalar ? scalar.getValue() : ""));
            } catch (IllegalArgumentException e) {
                parseErrors.add(entry, what + ": annotations: " + e.getMessage());
            }
        }
        return words;
    }

    /** The tiers that a rule's replicas are kept in. */
    private @Nullable TierRange range(YamlMap map, Node node, String what) {
        String keep = map.text("keep");
        String replicas = map.word("replicas", AnnotationWord.REPLICA_WORDS);
        String text = map.text("tiers");
        Node where = map.node("tiers");
        if (text == null || where == null) {
            if (replicas != null && !map.has("tiers")) {
                parseErrors.add(node, what + ": replicas goes with tiers, e.g. tiers: ssd..disk");
            }
            if (keep != null && !map.has("tiers")) {
                parseErrors.add(node, what + ": keep goes with tiers, e.g. tiers: ssd..disk");
            }
            return null;
        }
        try {
            TierRange range = TierRange.parse(text, "all".equals(replicas));
            return keep == null ? range : range.keeping(TierRange.parseKeep(keep));
        } catch (IllegalArgumentException e) {
            parseErrors.add(where, what + ": " + e.getMessage());
            return null;
        }
    }

    /** Whether a rule's blocks are copied into memory as soon as they are written. */
    private boolean write(YamlMap map, Node node, String what, Place place) {
        boolean toMemory = "memory".equals(map.word("write", AnnotationWord.WRITE_WORDS));
        if (toMemory && place == Place.NEVER) {
            parseErrors.add(node, what + ": write: memory contradicts place: never or tier: home");
        }
        return toMemory;
    }

    /** Whether replicas are moved to where the storage policy wants them. */
    private boolean satisfy(YamlMap map, Node node, String what) {
        boolean satisfy = "true".equals(map.word("satisfy", AnnotationWord.SATISFY_WORDS));
        if (satisfy && map.has("tiers")) {
            parseErrors.add(
                    node, what + ": satisfy: true contradicts tiers, which keeps replicas off their storage policy");
        }
        return satisfy;
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

    /** The keys {@code smallest} and {@code largest}. */
    SizeRange size(YamlMap map, Node where) {
        SizeRange bounds = new SizeRange(map.bytes("smallest", 0, 0), map.bytes("largest", 1, Long.MAX_VALUE));
        if (bounds.smallestBytes() > bounds.largestBytes()) {
            parseErrors.add(where, "smallest is above largest: no block would be left");
        }
        return bounds;
    }
}
