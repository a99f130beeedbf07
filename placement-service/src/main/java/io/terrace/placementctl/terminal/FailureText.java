package io.terrace.placementctl.terminal;

import io.terrace.common.FailureReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** What a file or connection that failed has to say, in one line for an operator. */
public final class FailureText {

    private FailureText() {}

    /** The failed file or connection behind an exception of a command; null where it is something else, as a bug. */
    public static @Nullable IOException cause(Exception failure) {
        if (failure instanceof IOException e) {
            return e;
        }
        if (failure instanceof UncheckedIOException e) {
            return e.getCause();
        }
        return failure instanceof DirectoryIteratorException e ? e.getCause() : null;
    }

    public static String of(IOException e) {
        if (e instanceof FileSystemException failed && failed.getFile() != null) {
            return Table.printable(failed.getFile() + ": " + FailureReason.of(failed));
        }
        // A server's exception has its stack trace in the message.
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return Table.printable(e.getMessage() == null || message.isBlank() ? e.toString() : message);
    }
}
