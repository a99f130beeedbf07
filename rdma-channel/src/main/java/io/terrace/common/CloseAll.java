package io.terrace.common;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The steps of an end, each of which is made although one before it failed. */
public final class CloseAll {
    private CloseAll() {}

    /** @throws IOException of the first step that failed, with the others suppressed */
    public static void all(Closeable... steps) throws IOException {
        all(Arrays.asList(steps));
    }

    /** @throws IOException of the first step that failed, with the others suppressed */
    public static void all(Iterable<? extends Closeable> steps) throws IOException {
        IOException first = null;
        for (Closeable step : steps) {
            try {
                step.close();
            } catch (IOException e) {
                first = joined(first, e);
            } catch (RuntimeException | Error e) {
                first = joined(first, new IOException(e));
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Makes the steps because of a failure, which keeps what fails among them. */
    public static void after(Throwable failure, Iterable<? extends Closeable> steps) {
        try {
            all(steps);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static IOException joined(@Nullable IOException first, IOException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }
}
