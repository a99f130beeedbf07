package io.terrace.placement.policy;

import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.PolicyParameter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A policy and where it comes from.
 *
 * @param number of the applied policy in the history, 0 where it was not applied
 */
public record PolicyChoice(PolicySpec spec, Source source, long number) {

    private static final Logger LOG = LoggerFactory.getLogger(PolicyChoice.class);

    /** Where it comes from. An applied policy goes before the policy file, and that before the settings. */
    public enum Source {
        SETTINGS,
        FILE,
        APPLIED,
        /** Nobody: no other one could be made. */
        FALLBACK
    }

    /**
     * The policy that the settings name, with its parameters.
     *
     * @param conf answers null for a key that is unset
     * @throws IllegalArgumentException naming the key that is wrong and what to write instead
     */
    public static PolicyChoice from(UnaryOperator<String> conf) {
        String policy = TerraceSettings.PLACEMENT_POLICY.get(conf);
        List<PolicyKind> kinds = PolicyCatalog.kinds();
        PolicyKind kind = kinds.stream()
                .filter(candidate -> candidate.name().equals(policy))
                .findFirst()
                .orElseThrow(() -> TerraceSettings.PLACEMENT_POLICY.refusal(
                        policy, "one of " + kinds.stream().map(PolicyKind::name).toList(), null));
        Map<String, String> parameters = parameters(kind, conf);
        checkParameters(policy, parameters);
        return new PolicyChoice(PolicySpec.plain(policy, parameters), Source.SETTINGS, 0);
    }

    private static Map<String, String> parameters(PolicyKind kind, UnaryOperator<String> conf) {
        Map<String, String> values = new HashMap<>();
        for (PolicyParameter parameter : kind.parameters()) {
            Setting<?> known = TerraceSettings.find("terrace.placement." + kind.name() + "." + parameter.name());
            if (known != null) {
                values.put(parameter.name(), String.valueOf(known.get(conf)));
            } else if (parameter.name().equals("remembered") || parameter.name().equals("tracked")) {
                // A NameNode has a policy for each DataNode; the policies' own defaults are meant for one in all.
                values.put(parameter.name(), TerraceSettings.PLACEMENT_IDECIDER_REMEMBERED.defaultText());
            }
        }
        for (String word : TerraceSettings.PLACEMENT_POLICY_PARAMETERS.get(conf).split(",", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0 && !word.substring(0, equals).isBlank()) {
                values.put(
                        word.substring(0, equals).strip(),
                        word.substring(equals + 1).strip());
            } else if (!word.isBlank()) {
                throw TerraceSettings.PLACEMENT_POLICY_PARAMETERS.refusal(
                        word.strip(), "name=value, separated by commas", null);
            }
        }
        return values;
    }

    /** Lets the policy itself refuse what it does not take, here rather than at the first heartbeat. */
    private static void checkParameters(String policy, Map<String, String> values) {
        try {
            PolicyCatalog.create(policy, values, PolicySpec.TIERS);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    TerraceSettings.PLACEMENT_POLICY_PARAMETERS.key() + " or terrace.placement." + policy + ".*: "
                            + e.getMessage(),
                    e);
        } catch (LinkageError e) {
            // This is no mistake in the settings: the loop takes another policy and logs that.
            LOG.error("Policy {} cannot be made: its jars do not fit", policy, e);
        }
    }
}
