package io.terrace.bench.fuzz;

import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.policyfile.PolicySpec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Extended attributes of a file, as lines of a name and a value: whatever they are, a rule results. */
final class Annotations implements FuzzTarget {

    private static final PolicySpec SPEC = PolicySpec.plain("lru", Map.of());

    @Override
    public List<byte[]> seeds() {
        return List.of(
                bytes("user.terrace.place=never\n"),
                bytes("user.terrace.place=prefer\nuser.terrace.weight=3\nuser.terrace.pool=a\n"),
                bytes("trusted.terrace.tiers=nvm..disk\ntrusted.terrace.replicas=all\ntrusted.terrace.satisfy=true\n"),
                bytes("user.terrace.write=memory\nuser.terrace.nonsense=1\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void read(byte[] input) {
        Map<String, byte[]> attributes = new LinkedHashMap<>();
        int at = 0;
        while (at < input.length) {
            int end = at;
            while (end < input.length && input[end] != '\n') {
                end++;
            }
            int split = at;
            while (split < end && input[split] != '=') {
                split++;
            }
            attributes.put(
                    new String(input, at, split - at, StandardCharsets.UTF_8),
                    Arrays.copyOfRange(input, Math.min(end, split + 1), end));
            at = end + 1;
        }
        AnnotatedRule rule = SPEC.explain("/data/file", PathAnnotations.of(attributes));
        FuzzTarget.require(!SPEC.decide(rule.rule(), 1 << 20).sentence().isEmpty(), "a decision without a reason");
    }
}
