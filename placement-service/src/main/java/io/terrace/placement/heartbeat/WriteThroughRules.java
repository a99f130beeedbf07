package io.terrace.placement.heartbeat;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which new files are to have a copy in memory that their DataNode fills while they are written: the first rule that takes in
 * the path of a file decides. A hint, since rules change and files are renamed: a block that was written without is copied
 * once it is reported.
 *
 * @param id equal ones have equal ids; 0 for none
 * @param rules none where they are told to a DataNode that has those of that id
 */
public record WriteThroughRules(long id, List<Rule> rules) {

    public static final WriteThroughRules NONE = new WriteThroughRules(0, List.of());

    /**
     * What holds for the files that a pattern takes in.
     *
     * @param path a {@link io.terrace.common.PathGlob}
     */
    public record Rule(String path, boolean toMemory) {}

    public WriteThroughRules {
        rules = List.copyOf(rules);
    }

    /** Up to the last rule that wants a copy; what follows changes nothing. */
    public static WriteThroughRules of(List<Rule> all) {
        int end = all.size();
        while (end > 0 && !all.get(end - 1).toMemory) {
            end--;
        }
        List<Rule> rules = all.subList(0, end);
        return rules.isEmpty() ? NONE : new WriteThroughRules(hash(rules), rules);
    }

    /** What a DataNode is told that has those of an id; null for none. */
    public @Nullable WriteThroughRules after(long known) {
        return id == 0 ? null : id == known ? new WriteThroughRules(id, List.of()) : this;
    }

    /** FNV-1a, 64 bits. */
    private static long hash(List<Rule> rules) {
        long hash = 0xcbf29ce484222325L;
        for (Rule rule : rules) {
            for (char character : (rule.path + (rule.toMemory ? "\n+" : "\n-")).toCharArray()) {
                hash = (hash ^ character) * 0x100000001b3L;
            }
        }
        return hash;
    }
}
