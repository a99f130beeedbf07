package io.terrace.bench.soak.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files and snapshots of one writer, as the lines of its journal make them. A line is a word, a number of a file or a name
 * of a snapshot, and what belongs to it, with single spaces. Not thread-safe.
 */
final class JournalState {
    /**
     * A snapshot.
     *
     * @param files as they were when it was made; those in doubt then are left out
     * @param there whether it is known to be there
     */
    record Snapshot(String name, List<FileState> files, boolean there) {}

    /**
     * A truncate that may be under way.
     *
     * @param inSnapshot whether a snapshot may have the file as it was
     * @param activations of NameNodes until then ({@link NameNodeActivations})
     */
    record Cut(boolean inSnapshot, long activations) {
        /** Whether HDFS may have forgotten it. */
        boolean mayBeForgotten(long activationsNow) {
            return inSnapshot && activationsNow > activations;
        }
    }

    private final Map<Integer, FileState> files = new TreeMap<>();
    private final Map<Integer, Cut> cuts = new TreeMap<>();
    private final Map<String, Snapshot> snapshots = new TreeMap<>();
    private int lastId;
    private int lastVersion;
    private int lastSnapshot;

    /** Takes in a line. */
    void apply(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "SNAPSHOT" -> {
                lastSnapshot = Integer.parseInt(words[1].substring(1));
                List<FileState> now = files.values().stream()
                        .filter(file -> file.phase() == FileState.Phase.CLOSED)
                        .toList();
                snapshots.put(words[1], new Snapshot(words[1], now, false));
            }
            case "SNAPSHOTTED" -> snapshots.computeIfPresent(
                    words[1], (name, snapshot) -> new Snapshot(name, snapshot.files(), true));
            case "UNSNAPSHOT" -> snapshots.computeIfPresent(
                    words[1], (name, snapshot) -> new Snapshot(name, snapshot.files(), false));
            case "UNSNAPSHOTTED" -> snapshots.remove(words[1]);
            default -> applyToFile(words);
        }
    }

    private void applyToFile(String[] words) {
        int id = Integer.parseInt(words[1]);
        if (words[0].equals("CREATE")) {
            lastId = Math.max(lastId, id);
            lastVersion = Integer.parseInt(words[2]);
            files.put(id, FileState.creating(id, lastVersion, words[3], Long.parseLong(words[4])));
            return;
        }
        FileState file = files.get(id);
        if (file == null) {
            throw new IllegalStateException("no file " + id + ": " + String.join(" ", words));
        }
        switch (words[0]) {
            case "CREATED" -> files.put(id, file.opened());
            case "WRITE" -> files.put(id, file.writing(Long.parseLong(words[2])));
            case "FLUSHED" -> files.put(id, file.flushed(Long.parseLong(words[2])));
            case "CLOSED" -> files.put(id, file.closed(Long.parseLong(words[2])));
            case "APPEND" -> {
                lastVersion = Integer.parseInt(words[2]);
                files.put(id, file.appending(lastVersion));
            }
            case "TRUNCATE" -> {
                files.put(id, file.truncating(Long.parseLong(words[2])));
                cuts.put(id, new Cut(isInSnapshot(id), Long.parseLong(words[3])));
            }
            case "RENAME" -> files.put(id, file.renaming(words[2]));
            case "DELETE" -> {
                if (file.phase() == FileState.Phase.TRUNCATING) {
                    loseFromSnapshots(id);
                }
                files.put(id, file.deleting());
            }
            case "FOUND" -> {
                files.put(id, file.found(words[2], Long.parseLong(words[3])));
                cuts.remove(id);
            }
            case "GONE" -> {
                files.remove(id);
                cuts.remove(id);
            }
            default -> throw new IllegalStateException("unknown line: " + String.join(" ", words));
        }
    }

    /**
     * Stock HDFS deletes the last block that snapshots have of a file, if that file is deleted while it is being cut: the block
     * that is copied is collected with its copy (INode.BlocksMapUpdateInfo.addDeleteBlock).
     */
    private void loseFromSnapshots(int id) {
        snapshots.replaceAll((name, snapshot) -> new Snapshot(
                name, snapshot.files().stream().filter(file -> file.id() != id).toList(), snapshot.there()));
    }

    /** Of one that may be there, too. */
    private boolean isInSnapshot(int id) {
        return snapshots.values().stream()
                .anyMatch(snapshot -> snapshot.files().stream().anyMatch(file -> file.id() == id));
    }

    /** The truncate of a file that its writer waits for; null if there is none. */
    @Nullable
    Cut cut(int file) {
        return cuts.get(file);
    }

    Collection<FileState> files() {
        return files.values();
    }

    @Nullable
    FileState file(int id) {
        return files.get(id);
    }

    Collection<Snapshot> snapshots() {
        return snapshots.values();
    }

    /** Whether the snapshot is known to be there. */
    boolean hasSnapshot(String name) {
        Snapshot snapshot = snapshots.get(name);
        return snapshot != null && snapshot.there();
    }

    int freshId() {
        return lastId + 1;
    }

    int freshVersion() {
        return lastVersion + 1;
    }

    String freshSnapshot() {
        return "s" + (lastSnapshot + 1);
    }

    /** Files that a call which did not return may have changed. */
    List<FileState> inDoubt() {
        List<FileState> found = new ArrayList<>();
        for (FileState file : files.values()) {
            if (file.phase() != FileState.Phase.CLOSED) {
                found.add(file);
            }
        }
        return found;
    }
}
