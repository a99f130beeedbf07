package io.terrace.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Whose a file is, and what others may do with it. */
record FileOwner(int uid, int gid, int mode) {

    private static final int PERMISSIONS = 07777;
    private static final int OTHERS_WRITE = 022;
    private static final int OTHERS_PASS = 011;

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

    /** Whether it is this user's, and nobody else may write to it. */
    boolean isOnly(UserAccount user) {
        return uid == user.uid() && !othersWrite();
    }

    /** What is wrong with a directory that is not this user's alone, to follow its path. */
    String notOnly(UserAccount user) {
        return " has owner " + uid + " and mode " + Integer.toOctalString(mode) + "; the owner must be " + user.name()
                + " (" + user.uid() + "), and nobody else may write there";
    }

    /** Whether all users reach what is in a directory. */
    boolean othersPass() {
        return (mode & OTHERS_PASS) == OTHERS_PASS;
    }

    boolean othersWrite() {
        return othersWrite(mode);
    }

    static boolean othersWrite(int mode) {
        return (mode & OTHERS_WRITE) != 0;
    }
}
