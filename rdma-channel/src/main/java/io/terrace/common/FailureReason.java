package io.terrace.common;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read or written, for a message that names the file: an exception of the JDK says but its path. */
public final class FailureReason {

    private FailureReason() {}

    public static String of(IOException e) {
        if (!(e instanceof FileSystemException failed)) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
        if (failed.getReason() != null) {
            return failed.getReason();
        }
        if (e instanceof NoSuchFileException) {
            return "there is no such file or directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof FileSystemLoopException
                ? "its symbolic links lead in a circle"
                : e.getClass().getSimpleName();
    }
}
