package io.terrace.bench.fuzz;

import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Policy files, whose policy is made and whose rules are asked if they are taken. */
final class PolicyFiles implements FuzzTarget {

    private static final List<String> PATHS = List.of("/", "/data/a/b", "/data/part-00001", "/tmp/x y/ä");

    @Override
    public List<byte[]> seeds() {
        return List.of(
                bytes("policy: adaptive\n"),
                bytes("policy: idecider\nparameters: {threshold: 3}\nsmallest: 1MB\nlargest: 1GB\n"),
                bytes(
                        "policy: adaptive\nrules:\n- path: /data/**/part-*\n  place: prefer\n  weight: 3\n- path: /tmp/{a,b}/**\n"
                                + "  place: never\n"),
                bytes(
                        "policy: lru\npools:\n- name: a\n  least: 10%\n- name: b\n  most: 50%\nrules:\n- path: /d/?[ab]\n  pool: a\n"),
                bytes(
                        "policy: lru\nrules:\n- path: /w/**\n  tiers: nvm..disk\n  replicas: all\n- path: /p\n  place: pin\n"),
                bytes("policy: &a lru\nparameters: *a\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void read(byte[] input) {
        PolicySpec spec;
        try {
            spec = PolicyFile.read("fuzz", new String(input, StandardCharsets.UTF_8));
        } catch (PolicyFileException e) {
            FuzzTarget.require(e.getMessage() != null && !e.getMessage().isEmpty(), "a refusal without a reason");
            return;
        }
        FuzzTarget.require(spec.make(PolicySpec.TIERS).memoryBytes() >= 0, "a policy without a size");
        for (String path : PATHS) {
            PathRule rule = spec.ruleFor(path, PathAnnotations.NONE).rule();
            FuzzTarget.require(!spec.decide(rule, 1 << 20).sentence().isEmpty(), "a decision without a reason");
        }
    }
}
