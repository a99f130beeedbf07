package io.terrace.policy;

/**
 * A parameter that a policy takes from the policy file.
 *
 * @param name key, lower case with dots or dashes
 * @param defaultValue value when the key is absent
 * @param doc what it does, its unit and range
 */
public record PolicyParameter(String name, String defaultValue, String doc) {}
