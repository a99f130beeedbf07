package io.terrace.placement.volume;

import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.placement.state.PolicyGaps.Root;
import io.terrace.placement.state.StateListener.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a walk for {@code satisfy} stands, as it is noted: inode, block, length of the root's path, both paths in one. */
record WalkNote(Root root, Position position) {

    private static final String KEY = "satisfy";

    /** A path of HDFS has no more than 8,000 characters. */
    private static final int LONGEST = 8_192;

    /** No walk is under way. */
    static final Note NONE = Note.forgotten(KEY);

    Note note(long untilMs) {
        String text = root.inode() + "," + position.block() + "," + root.path().length() + "," + root.path()
                + String.join("/", position.names());
        return text.length() > LONGEST ? NONE : new Note(KEY, untilMs, text);
    }

    /** Null if it is no such note, or cannot be read. */
    static @Nullable WalkNote of(Note note) {
        String[] parts = note.text().split(",", 4);
        if (!note.key().equals(KEY) || parts.length != 4) {
            return null;
        }
        try {
            int length = Integer.parseInt(parts[2]);
            Root root = new Root(parts[3].substring(0, length), Long.parseLong(parts[0]));
            String below = parts[3].substring(length);
            List<String> names = below.isEmpty() ? List.of() : List.of(below.split("/"));
            return new WalkNote(root, new Position(names, Integer.parseInt(parts[1])));
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            return null;
        }
    }
}
