package io.terrace.placement.policyfile;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.Node;

/** Gathers what is wrong with a policy file; the first {@value #MOST} are kept. */
final class ParseErrors {

    static final int MOST = 20;

    private final String file;
    private final List<String> lines = new ArrayList<>();

    ParseErrors(String file) {
        this.file = file;
    }

    void add(Node where, String what) {
        add(Optional.ofNullable(where.getStartMark()), what);
    }

    void add(Optional<Mark> where, String what) {
        if (lines.size() < MOST) {
            lines.add(where.map(mark -> file + ":" + (mark.getLine() + 1)).orElse(file) + ": " + what);
        }
    }

    void throwIfAny() throws PolicyFileException {
        if (!lines.isEmpty()) {
            throw new PolicyFileException(lines);
        }
    }
}
