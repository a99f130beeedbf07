package io.terrace.placement.journal;

import io.terrace.placement.journal.JournalException.Next;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Loads RocksDB's native library, once a process. It is unpacked in the journal's directory, as {@code /tmp} may be mounted
 * {@code noexec} or be read by others, and removed at once: a library that is loaded needs no name. What a process that was
 * killed meanwhile has left goes when the next one opens its journal there.
 */
final class RocksLibrary {

    /** A directory that the library is unpacked in; the number of the process is in its name. Earlier builds had none there. */
    private static final Pattern UNPACKED = Pattern.compile("library(?:(\\d{1,18})-)?\\d+");

    private static boolean loaded;

    private RocksLibrary() {}

    static synchronized void load(Path dir) throws JournalException {
        // RocksDB looks for the same with another name where it is given directories.
        String name = Environment.getJniLibraryFileName("rocksdbjni");
        removeLeft(dir, name);
        if (loaded) {
            return;
        }
        String packedName = Environment.getJniLibraryFileName("rocksdb");
        Path unpacked = null;
        try (InputStream packed = RocksDB.class.getClassLoader().getResourceAsStream(packedName)) {
            if (packed == null) {
                throw new JournalException(
                        Next.GIVE_UP,
                        "RocksDB's jar has no " + packedName
                                + " for this machine: put the jar of RocksDB from Maven Central on the"
                                + " NameNode's class path instead of Terrace's");
            }
            unpacked = Files.createTempDirectory(
                    dir, "library" + ProcessHandle.current().pid() + "-");
            Files.copy(packed, unpacked.resolve(name));
            RocksDB.loadLibrary(List.of(unpacked.toString()));
            loaded = true;
        } catch (UnsatisfiedLinkError e) {
            throw new JournalException(
                    Next.GIVE_UP,
                    "the native library of RocksDB cannot be loaded from " + dir + " (" + e.getMessage()
                            + "): choose a directory that is not mounted noexec and restart the NameNode",
                    e);
        } catch (IOException e) {
            if (e instanceof JournalException told) {
                throw told;
            }
            throw new JournalException(
                    Next.RETRY,
                    "the native library of RocksDB cannot be unpacked in " + dir + " (" + e
                            + "): give it 20 MB of room",
                    e);
        } finally {
            remove(unpacked, name);
        }
    }

    /** Removes what processes that run no more have left. */
    private static void removeLeft(Path dir, String name) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(dir, "library*")) {
            for (Path each : found) {
                Matcher unpacked = UNPACKED.matcher(each.getFileName().toString());
                if (unpacked.matches() && !isOfAnother(unpacked.group(1))) {
                    remove(each, name);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // As below.
            return;
        }
    }

    /** Whether another process runs that has this number. In a container each process may have the same number. */
    private static boolean isOfAnother(@Nullable String pid) {
        return pid != null
                && !pid.equals(Long.toString(ProcessHandle.current().pid()))
                && ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }

    private static void remove(@Nullable Path dir, String name) {
        try {
            if (dir != null) {
                Files.deleteIfExists(dir.resolve(name));
                Files.deleteIfExists(dir);
            }
        } catch (IOException e) {
            // It stays there and harms nobody.
        }
    }
}
