package io.terrace.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values a policy file gives for a policy's parameters, read with their defaults. Unknown keys and values out of
 * range are refused with an {@link IllegalArgumentException} that names key and remedy.
 */
public final class PolicyParameters {

    private final String policy;
    private final Map<String, String> values = new HashMap<>();

    public PolicyParameters(PolicyKind kind, Map<String, String> given) {
        policy = kind.name();
        List<PolicyParameter> known = kind.parameters();
        for (String key : given.keySet()) {
            if (known.stream().noneMatch(parameter -> parameter.name().equals(key))) {
                throw new IllegalArgumentException("policy " + policy + " has no parameter '" + key + "'; it takes "
                        + (known.isEmpty()
                                ? "none"
                                : known.stream().map(PolicyParameter::name).collect(Collectors.joining(", "))));
            }
        }
        known.forEach(parameter -> values.put(parameter.name(), parameter.defaultValue()));
        values.putAll(given);
    }

    public long whole(String key, long least, long most) {
        String text = text(key);
        try {
            long value = Long.parseLong(text.strip());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw refusal(key, text, "a whole number from " + least + " to " + most, e);
        }
        throw refusal(key, text, "a whole number from " + least + " to " + most, null);
    }

    public double number(String key, double least, double most) {
        String text = text(key);
        try {
            double value = Double.parseDouble(text.strip());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw refusal(key, text, "a number from " + least + " to " + most, e);
        }
        throw refusal(key, text, "a number from " + least + " to " + most, null);
    }

    /** One of a few words. */
    public String word(String key, String... allowed) {
        String text = text(key).strip();
        for (String word : allowed) {
            if (word.equals(text)) {
                return word;
            }
        }
        throw refusal(key, text, "one of " + String.join(", ", allowed), null);
    }

    /** A duration such as {@code 30s}, {@code 10m}, {@code 6h}, {@code 2d}, {@code 250ms}; in milliseconds. */
    public long durationMs(String key, long leastMs) {
        String text = text(key).strip();
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        long unitMs =
                switch (text.substring(digits).strip()) {
                    case "ms" -> 1;
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    case "d" -> 86_400_000;
                    default -> 0;
                };
        if (unitMs > 0 && digits > 0 && digits < 12) {
            long value = Long.parseLong(text.substring(0, digits)) * unitMs;
            if (value >= leastMs) {
                return value;
            }
        }
        throw refusal(
                key, text, "a duration of at least " + leastMs + " ms with its unit, such as 30s, 10m or 6h", null);
    }

    private String text(String key) {
        String text = values.get(key);
        if (text == null) {
            throw new IllegalStateException("policy " + policy + " does not declare its parameter " + key);
        }
        return text;
    }

    private IllegalArgumentException refusal(String key, String text, String wanted, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "policy " + policy + ": " + key + " is '" + text + "' but must be " + wanted, cause);
    }
}
