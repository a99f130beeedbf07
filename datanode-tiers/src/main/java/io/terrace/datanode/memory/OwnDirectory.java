package io.terrace.datanode.memory;

import com.sun.security.auth.module.UnixSystem;
import io.terrace.common.GuardedDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A directory that this process's user owns and nobody else but root can change, and what the process makes in it. Somebody
 * who made the directory first, or could write it once, may have left a symbolic link or another directory there:
 * what is not the process's is refused with an IOException that names the setting and the remedy.
 */
final class OwnDirectory {

    private static final Set<PosixFilePermission> OWNER_ENTERS = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_OPENS = PosixFilePermissions.fromString("rw-------");
    private static final int USER = (int) new UnixSystem().getUid();

    private final Path path;
    private final String setting;

    private OwnDirectory(Path path, String setting) {
        this.path = path;
        this.setting = setting;
    }

    /**
     * Checks a directory and all above it.
     *
     * @param danger what others could do otherwise, for the message
     * @param key the setting that names it
     */
    static OwnDirectory check(Path directory, String danger, String key) throws IOException {
        Path real = directory.toRealPath();
        String setting = key + "=" + directory;
        try {
            int owner = GuardedDirectory.check(real, danger, key);
            if (owner != USER) {
                throw new IOException(real + " belongs to user id " + owner + ", not to the DataNode's, which is "
                        + USER + "; chown it, or set " + key + " to another directory");
            }
        } catch (IOException e) {
            throw new IOException(setting + " is not the DataNode's alone: " + e.getMessage(), e);
        }
        return new OwnDirectory(real, setting);
    }

    /** Its path without symbolic links. */
    Path path() {
        return path;
    }

    /** A directory in it that only this user may enter: made, or taken over. */
    Path directory(String name) throws IOException {
        Path directory = path.resolve(name);
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ENTERS));
        } catch (FileAlreadyExistsException e) {
            requireOwnDirectory(directory);
        }
        Files.setPosixFilePermissions(directory, OWNER_ENTERS);
        return directory;
    }

    /** A file in it that only this user may open, opened for writing: made, or taken over. */
    FileChannel file(String name) throws IOException {
        Path file = path.resolve(name);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            own(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS), file, "file");
        }
        FileChannel opened = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(OWNER_OPENS));
        try {
            Files.setPosixFilePermissions(file, OWNER_OPENS);
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Whether this user owns a file, so that nobody who made it can still write it. */
    static boolean owns(Path file) throws IOException {
        return GuardedDirectory.uid(file) == USER;
    }

    /** A directory below that the process did not just make must be its own. */
    void requireOwnDirectory(Path directory) throws IOException {
        own(Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS), directory, "directory");
    }

    private void own(boolean isOne, Path entry, String kind) throws IOException {
        if (!isOne || !owns(entry)) {
            throw new IOException(
                    setting + ": " + entry + " is no " + kind + " of user id " + USER + ", the DataNode's; remove it");
        }
    }
}
