package io.terrace.bench.simulation.kernel;

import org.jspecify.annotations.Nullable;

/**
 * An invariant does not hold: the product is wrong, or the simulation is. An Error, so that nothing under simulation that
 * handles exceptions handles this one.
 */
public final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    private final Invariant invariant;

    public Violation(Invariant invariant, String detail, @Nullable Throwable cause) {
        super(invariant.title() + ": " + detail, cause);
        this.invariant = invariant;
    }

    public Invariant invariant() {
        return invariant;
    }

    /** For checks that run after each event: {@link #unless} makes an array of its arguments, whether they are needed or not. */
    public @SuppressWarnings("AnnotateFormatMethod") // its annotation is not on our class path
    static Violation of(Invariant invariant, String detail, @Nullable Object... arguments) {
        return new Violation(invariant, String.format(detail, arguments), null);
    }

    /** Throws unless the condition holds; the detail is formatted only then. */
    public @SuppressWarnings("AnnotateFormatMethod") // its annotation is not on our class path
    static void unless(boolean condition, Invariant invariant, String detail, @Nullable Object... arguments) {
        if (!condition) {
            throw of(invariant, detail, arguments);
        }
    }
}
