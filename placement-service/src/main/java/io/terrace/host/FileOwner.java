package io.terrace.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Whose a file is, and what others may do with it. */
record FileOwner(int uid, int gid, int mode) {

    private static final int PERMISSIONS = 07777;
    private static final int OTHERS_WRITE = 022;

    /** Null where the file is not there. */
    static @Nullable FileOwner of(Path file) {
        try {
            return new FileOwner(
                    (int) Files.getAttribute(file, "unix:uid"),
                    (int) Files.getAttribute(file, "unix:gid"),
                    (int) Files.getAttribute(file, "unix:mode") & PERMISSIONS);
        } catch (IOException notThere) {
            return null;
        }
    }

    boolean othersWrite() {
        return (mode & OTHERS_WRITE) != 0;
    }
}
