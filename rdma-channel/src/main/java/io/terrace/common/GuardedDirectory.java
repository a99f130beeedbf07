package io.terrace.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whether a directory is its owner's and root's alone: nobody else can change what is in it, or put another in its place.
 *
 * <p>As stock checks {@code dfs.domain.socket.path}: no component of its path may be writable by group or others, except a
 * sticky one above the last (so that {@code /tmp} will do), and each belongs to root or to the owner of the directory.
 */
public final class GuardedDirectory {

    private static final int GROUP_OR_OTHERS_WRITE = 0022;
    private static final int STICKY = 01000;
    public static final int ROOT = 0;

    private GuardedDirectory() {}

    /**
     * Checks a directory.
     *
     * @param real its path without symbolic links
     * @param danger what others could do otherwise, for the message
     * @param key the setting that names it
     * @return its owner's user id
     * @throws IOException when it is not guarded; the message names the component and the remedy
     */
    public static int check(Path real, String danger, String key) throws IOException {
        int owner = uid(real);
        for (Path component = real; component != null; component = component.getParent()) {
            int componentOwner = uid(component);
            if (othersWrite(mode(component), !component.equals(real))) {
                throw new IOException(component + " is writable by its group or by others, so " + danger
                        + "; chmod go-w it, or set " + key + " to another directory");
            }
            if (belongsToOthers(componentOwner, owner)) {
                throw new IOException(component + " belongs to user id " + componentOwner + ", neither root nor the"
                        + " owner of " + real + "; set " + key + " to another directory");
            }
        }
        return owner;
    }

    /**
     * Whether others than its owner can change what is in a component of the path.
     *
     * @param above whether it is above the directory, where a sticky one will do
     */
    public static boolean othersWrite(int mode, boolean above) {
        return (mode & GROUP_OR_OTHERS_WRITE) != 0 && !(above && (mode & STICKY) != 0);
    }

    /** Whether a component of the path is neither root's nor the directory's owner's. */
    public static boolean belongsToOthers(int componentOwner, int owner) {
        return componentOwner != ROOT && componentOwner != owner;
    }

    /** The owner of a file, not of what a symbolic link leads to. */
    public static int uid(Path file) throws IOException {
        return attribute(file, "uid");
    }

    public static int mode(Path file) throws IOException {
        return attribute(file, "mode");
    }

    private static int attribute(Path file, String name) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
        if (attributes.get(name) instanceof Integer value) {
            return value;
        }
        throw new IOException("no " + name + " of " + file);
    }
}
