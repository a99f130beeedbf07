package io.terrace.host;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One change of a host. */
sealed interface HostStep {

    /** What is done, such as {@code write /etc/…}. */
    String words();

    /** What it is in full, line by line. */
    default List<String> details() {
        return List.of();
    }

    /** Whether there is nothing to do. */
    boolean isDone(HostFiles files);

    void apply(HostFiles files) throws IOException;

    /** Whether it can only be done on the host itself, not in an image of it. */
    default boolean needsLiveHost() {
        return false;
    }

    /** Whether only root can do it. */
    default boolean needsRoot() {
        return true;
    }

    /** A file, or a directory with all that is in it. */
    record Delete(String path) implements HostStep {
        @Override
        public String words() {
            return "delete " + path;
        }

        @Override
        public boolean isDone(HostFiles files) {
            return !Files.exists(files.at(path), LinkOption.NOFOLLOW_LINKS);
        }

        /** The DataNode's user may delete what is the DataNode's. */
        @Override
        public boolean needsRoot() {
            return path.startsWith("/etc/");
        }

        @Override
        public void apply(HostFiles files) throws IOException {
            if (!isDone(files)) {
                Files.walkFileTree(files.at(path), new Deletion());
            }
        }

        private static final class Deletion extends SimpleFileVisitor<Path> {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        }
    }

    /** A file of ours, which is replaced as a whole. */
    record WriteFile(String path, String text) implements HostStep {
        @Override
        public String words() {
            return "write " + path;
        }

        @Override
        public List<String> details() {
            return text.lines().toList();
        }

        @Override
        public boolean isDone(HostFiles files) {
            return files.text(path).equals(text);
        }

        @Override
        public void apply(HostFiles files) throws IOException {
            Path file = files.at(path);
            Files.createDirectories(file.getParent());
            Path made = file.resolveSibling(file.getFileName() + ".new");
            Files.write(made, text.getBytes(StandardCharsets.UTF_8));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** A symbolic link, as {@code systemctl enable} makes it. */
    record Link(String path, String target) implements HostStep {
        @Override
        public String words() {
            return "link " + path + " to " + target;
        }

        @Override
        public boolean isDone(HostFiles files) {
            try {
                return Files.readSymbolicLink(files.at(path)).toString().equals(target);
            } catch (IOException notThere) {
                return false;
            }
        }

        @Override
        public void apply(HostFiles files) throws IOException {
            Path link = files.at(path);
            Files.createDirectories(link.getParent());
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Path.of(target));
        }
    }

    /**
     * A directory that is the owner's alone. One that is, is left as it is.
     *
     * @param mode for one that is made, or was not the owner's alone
     * @param owner null leaves it to who makes it; one that is there is then left as it is
     */
    record Directory(Path path, int mode, @Nullable UserAccount owner) implements HostStep {
        @Override
        public String words() {
            return "make directory " + path + ", mode " + Integer.toOctalString(mode)
                    + (owner == null ? "" : ", owner " + owner.name());
        }

        @Override
        public boolean isDone(HostFiles files) {
            FileOwner there = FileOwner.of(files.at(path));
            return there != null && (owner == null || there.isOnly(owner));
        }

        /** Nothing is changed through a symbolic link: root does this, and others may have put the link there. */
        @Override
        public void apply(HostFiles files) throws IOException {
            if (isDone(files)) {
                return;
            }
            Path directory = files.at(path);
            if (Files.isSymbolicLink(directory)) {
                throw new IOException("it is a symbolic link; name the directory itself in the configuration");
            }
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            if (owner != null) {
                FileOwner there = FileOwner.of(directory);
                if (there == null || there.uid() != owner.uid()) {
                    Files.setAttribute(directory, "unix:uid", owner.uid(), LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(directory, "unix:gid", owner.gid(), LinkOption.NOFOLLOW_LINKS);
                }
            }
            Files.setAttribute(directory, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** A program of the host. */
    record Command(List<String> command) implements HostStep {
        static Command of(String... words) {
            return new Command(List.of(words));
        }

        @Override
        public String words() {
            return "run " + String.join(" ", command);
        }

        @Override
        public boolean isDone(HostFiles files) {
            return false;
        }

        @Override
        public boolean needsLiveHost() {
            return true;
        }

        @Override
        public void apply(HostFiles files) throws IOException {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            try {
                if (process.waitFor() != 0) {
                    throw new IOException(String.join(" ", command) + " failed: " + said);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
    }
}
