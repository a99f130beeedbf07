package io.terrace.channel.verbs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices when the file of a registered range is cut. The device goes on reading the pages that were pinned, so nothing on
 * the way of a read would tell. This is a second line: an owner deregisters an extent before it cuts its file, and what is
 * read between a cut and its notice, some microseconds later, is not seen.
 *
 * <p>One watch (inotify) for a directory, however many extents it has. Thread-safe.
 */
final class CutWatch implements Closeable {
    private record Watched(WatchKey key, Map<Path, Set<RegisteredRange>> files) {}

    private final Consumer<RegisteredRange> cut;
    private final WatchService watches;
    private final Map<Path, Watched> directories = new HashMap<>();

    CutWatch(Consumer<RegisteredRange> cut) throws IOException {
        this.cut = cut;
        this.watches = FileSystems.getDefault().newWatchService();
        Thread thread = new Thread(this::watchAll, "terrace-verbs-cuts");
        thread.setDaemon(true);
        thread.start();
    }

    void watch(RegisteredRange range) throws IOException {
        synchronized (this) {
            Path directory = directory(range.file());
            Watched watched = directories.get(directory);
            if (watched == null) {
                WatchKey key = directory.register(watches, StandardWatchEventKinds.ENTRY_MODIFY);
                watched = new Watched(key, new HashMap<>());
                directories.put(directory, watched);
            }
            watched.files
                    .computeIfAbsent(name(range.file()), fresh -> new HashSet<>())
                    .add(range);
        }
        // It may have been cut before it was watched.
        check(range);
    }

    synchronized void forget(RegisteredRange range) {
        Path directory = directory(range.file());
        Watched watched = directories.get(directory);
        if (watched == null) {
            return;
        }
        Path name = name(range.file());
        Set<RegisteredRange> ranges = watched.files.get(name);
        if (ranges != null && ranges.remove(range) && ranges.isEmpty()) {
            watched.files.remove(name);
            if (watched.files.isEmpty()) {
                watched.key.cancel();
                directories.remove(directory);
            }
        }
    }

    @Override
    public void close() throws IOException {
        watches.close();
    }

    private void watchAll() {
        try {
            while (true) {
                WatchKey key = watches.take();
                for (WatchEvent<?> event : key.pollEvents()) {
                    boolean lost = event.kind() == StandardWatchEventKinds.OVERFLOW;
                    for (RegisteredRange range : of(key, lost ? null : (Path) event.context())) {
                        check(range);
                    }
                }
                key.reset();
            }
        } catch (ClosedWatchServiceException | InterruptedException e) {
            VerbsProvider.LOG.debug("Registered files are not watched any more", e);
        }
    }

    /** The ranges of a file, or of all files when some events were lost. */
    private synchronized Set<RegisteredRange> of(WatchKey key, @Nullable Path name) {
        Set<RegisteredRange> found = new HashSet<>();
        for (Watched watched : directories.values()) {
            if (watched.key.equals(key) && name == null) {
                watched.files.values().forEach(found::addAll);
            } else if (watched.key.equals(key)) {
                found.addAll(watched.files.getOrDefault(name, Set.of()));
            }
        }
        return found;
    }

    private void check(RegisteredRange range) {
        try {
            if (Files.size(range.file()) < range.key().lengthBytes()) {
                cut.accept(range);
            }
        } catch (IOException e) {
            // Unlinked: the bytes stay as they are.
            VerbsProvider.LOG.debug("{} is gone", range.file(), e);
        }
    }

    private static Path directory(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file is in a directory");
    }

    private static Path name(Path file) {
        return Objects.requireNonNull(file.getFileName(), "a file has a name");
    }
}
