package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.StateListener.Note;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that others moved, as notes in the journal: they are left alone after a restart of the NameNode too. There are as many
 * as the journal keeps notes, of more the oldest make room. They hold too once nothing else is known of the block. Owned by the
 * engine's thread.
 */
final class HeldReplicas {

    private static final String MOVED = "moved ";

    /** As many as the journal keeps. */
    private static final int MOST_NOTES = 10_000;

    private final ClusterState clusterState;
    /** By key, the oldest first. */
    private final Map<String, Note> notes = new LinkedHashMap<>();

    HeldReplicas(ClusterState clusterState) {
        this.clusterState = clusterState;
    }

    private static String key(long blockId, String node) {
        return MOVED + blockId + ' ' + node;
    }

    /** The replica is left alone where it is for as long as its place says. */
    void note(long blockId, Place place) {
        Note note =
                new Note(key(blockId, place.node()), place.leftAloneUntilMs(), place.tier() + " " + place.movedBy());
        put(note);
        clusterState.note(note);
    }

    void remember(Note note) {
        if (note.key().startsWith(MOVED)) {
            put(note);
        }
    }

    private void put(Note note) {
        notes.remove(note.key());
        notes.put(note.key(), note);
        if (notes.size() > MOST_NOTES) {
            notes.remove(notes.keySet().iterator().next());
        }
    }

    /** The place of a replica that becomes known: left alone, if others moved it there before. */
    Place remembered(long nowMs, long blockId, Place place) {
        String key = notes.isEmpty() ? "" : key(blockId, place.node());
        @Nullable Note note = notes.get(key);
        if (note == null) {
            return place;
        }
        if (note.untilMs() <= nowMs) {
            notes.remove(key);
            return place;
        }
        String[] parts = note.text().split(" ", 2);
        StorageTier tier = place.tier();
        return parts.length == 2 && parts[0].equals(tier.name()) ? place.leftAlone(note.untilMs(), parts[1]) : place;
    }
}
