package io.terrace.placement.journal;

import io.terrace.placement.journal.JournalException.Next;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Loads RocksDB's native library, once a process. It is unpacked in the journal's directory, as {@code /tmp} may be mounted
 * {@code noexec} or be read by others, and removed at once: a library that is loaded needs no name.
 */
final class RocksLibrary {

    private static boolean loaded;

    private RocksLibrary() {}

    static synchronized void load(Path dir) throws JournalException {
        if (loaded) {
            return;
        }
        String packedName = Environment.getJniLibraryFileName("rocksdb");
        // RocksDB looks for the same with another name where it is given directories.
        String name = Environment.getJniLibraryFileName("rocksdbjni");
        Path unpacked = null;
        try (InputStream packed = RocksDB.class.getClassLoader().getResourceAsStream(packedName)) {
            if (packed == null) {
                throw new JournalException(
                        Next.GIVE_UP,
                        "RocksDB's jar has no " + packedName
                                + " for this machine: put the jar of RocksDB from Maven Central on the"
                                + " NameNode's class path instead of Terrace's");
            }
            unpacked = Files.createTempDirectory(dir, "library");
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
