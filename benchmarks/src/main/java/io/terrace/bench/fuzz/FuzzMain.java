package io.terrace.bench.fuzz;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What jazzer calls. The target is the system property {@value #TARGET}. */
public final class FuzzMain {

    static final String TARGET = "terrace.fuzz.target";

    private static @Nullable FuzzTarget target;

    private FuzzMain() {}

    /** Before the first input. Valid input loads the classes, which takes longer than any input may. */
    public static void fuzzerInitialize() throws Exception {
        FuzzTarget made = FuzzTargets.valueOf(System.getProperty(TARGET)).make();
        for (byte[] seed : made.seeds()) {
            made.read(seed);
        }
        target = made;
    }

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        Objects.requireNonNull(target, "jazzer initializes it").read(input);
    }
}
