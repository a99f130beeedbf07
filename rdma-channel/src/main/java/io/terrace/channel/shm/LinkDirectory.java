package io.terrace.channel.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Random;
import java.util.Set;

/**
 * A directory that may be passed through but not listed (mode 0711), in which a granted extent file appears under a
 * random name of 128 bits for the moment that the client needs to open it.
 *
 * <p>The extent files themselves lie in a directory that nobody else may enter, on the same file system, and are readable
 * by all (0444): the link is the only way to them, and its name is told to the granted client only. Passing the file
 * descriptor itself would need native code in the client; a path needs none.
 *
 * <p>Thread-safe.
 */
public final class LinkDirectory {
    private static final Set<PosixFilePermission> PASS_THROUGH = PosixFilePermissions.fromString("rwx--x--x");
    private static final int NAME_DIGITS = 32;

    private final Path path;
    private final Random random;

    private LinkDirectory(Path path, Random random) {
        this.path = path;
        this.random = random;
    }

    /** Makes the directory, or takes it over and removes what an earlier process left in it. */
    public static LinkDirectory create(Path path) throws IOException {
        return create(path, new SecureRandom());
    }

    static LinkDirectory create(Path path, Random random) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PASS_THROUGH));
        }
        Files.setPosixFilePermissions(path, PASS_THROUGH);
        LinkDirectory directory = new LinkDirectory(path.toAbsolutePath(), random);
        directory.sweep();
        return directory;
    }

    public Path path() {
        return path;
    }

    /** Links the extent file under a new random name, which it returns. */
    public String link(Path extentFile) throws IOException {
        String name = newName();
        Files.createLink(path.resolve(name), extentFile);
        return name;
    }

    /** A random name for a link, which nobody can guess. */
    public String newName() {
        return String.format("%016x%016x", random.nextLong(), random.nextLong());
    }

    /** Removes a link; one that is gone already is no error. */
    public void unlink(String name) throws IOException {
        if (!isName(name)) {
            throw new IllegalArgumentException("not the name of a link");
        }
        Files.deleteIfExists(path.resolve(name));
    }

    /** Whether this could be a name that {@link #link} made: nothing that leads out of the directory. */
    public static boolean isName(String name) {
        return name.length() == NAME_DIGITS && name.chars().allMatch(c -> Character.digit(c, 16) >= 0);
    }

    private void sweep() throws IOException {
        try (DirectoryStream<Path> links = Files.newDirectoryStream(path)) {
            for (Path link : links) {
                if (isName(link.getFileName().toString())) {
                    Files.deleteIfExists(link);
                }
            }
        } catch (NoSuchFileException e) {
            throw new UncheckedIOException("the links directory vanished while it was opened", e);
        }
    }
}
