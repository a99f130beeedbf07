package io.terrace.bench.load;

import java.util.Optional;

/** A sequence of steps over a data set. Not thread-safe. */
public interface Workload {
    /** The next step, empty at the end. */
    Optional<Step> next();
}
