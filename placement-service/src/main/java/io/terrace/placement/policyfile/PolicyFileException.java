package io.terrace.placement.policyfile;

import java.util.List;

/** A policy file that cannot be used, with everything that is wrong with it: {@code file:line: what, and the remedy}. */
public final class PolicyFileException extends Exception {

    private static final long serialVersionUID = 1L;

    private final List<String> complaints;

    PolicyFileException(List<String> complaints) {
        super(String.join("; ", complaints));
        this.complaints = List.copyOf(complaints);
    }

    public List<String> complaints() {
        return complaints;
    }
}
