package io.terrace.placement.policyfile;

import java.util.List;

/** A policy file that cannot be used, with everything that is wrong with it: {@code file:line: what, and the remedy}. */
public final class PolicyFileException extends Exception {

    private static final long serialVersionUID = 1L;

    private final List<String> errors;

    PolicyFileException(List<String> errors) {
        super(String.join("; ", errors));
        this.errors = List.copyOf(errors);
    }

    public List<String> errors() {
        return errors;
    }
}
