package io.terrace.placement.policy;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Named;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files that rules of the policy file pin: at most {@value #MOST_FILES}, and of each rule no more bytes than it may pin.
 * What is beyond is refused and counted. Rules that annotations changed count as the rule of the policy file, and
 * annotations without a rule as one. Owned by the engine's thread.
 */
public final class RulePins {

    static final int MOST_FILES = 1000;

    private record PinnedFile(PathRule rule, long lengthBytes) {}

    private final NamespaceView view;
    private final MetricRegistry metricRegistry;
    /** By inode; the file that was pinned first, first. */
    private final Map<Long, PinnedFile> files = new LinkedHashMap<>();

    RulePins(NamespaceView view, MetricRegistry metricRegistry) {
        this.view = view;
        this.metricRegistry = metricRegistry;
    }

    boolean isPinned(PathRule rule, Named named) {
        PinnedFile file = files.get(named.inode());
        return file != null && file.rule.number() == rule.number();
    }

    void unpin(long inode) {
        files.remove(inode);
    }

    void pin(PathRule rule, Named named) {
        long taken = pinnedBytes(rule.number());
        // Its length costs the NameNode a look at each of its blocks: it is not asked for where there is no room
        // anyway.
        long room = files.size() >= MOST_FILES ? 0 : rule.mostBytes() - taken;
        long lengthBytes = room > 0 ? view.lengthOf(named.inode()) : Long.MAX_VALUE;
        if (lengthBytes > room) {
            metricRegistry.increment(Metric.PLACEMENT_RULES_PINS_REFUSED);
        } else if (lengthBytes >= 0) {
            files.remove(named.inode()); // What another rule pinned is now the newest.
            files.put(named.inode(), new PinnedFile(rule, lengthBytes));
        }
    }

    /** By inode, the number of the rule; 0 for annotations without a rule. */
    public Map<Long, Integer> rules() {
        Map<Long, Integer> rules = new HashMap<>();
        files.forEach((inode, file) -> rules.put(inode, file.rule.number()));
        return rules;
    }

    /** Bytes of the files that the rule of that number pins. */
    public long pinnedBytes(int rule) {
        return files.values().stream()
                .filter(file -> file.rule.number() == rule)
                .mapToLong(PinnedFile::lengthBytes)
                .sum();
    }

    /** Inodes of the files. */
    public Collection<Long> inodes() {
        return files.keySet();
    }

    /**
     * The bytes that the pinned files have by now. Where that exceeds what a rule may pin, the files that it pinned last
     * are pinned no longer.
     */
    public void haveBytes(Map<Long, Long> bytesByInode) {
        Map<Integer, Long> taken = new HashMap<>();
        for (Iterator<Map.Entry<Long, PinnedFile>> all = files.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Long, PinnedFile> entry = all.next();
            PathRule rule = entry.getValue().rule;
            long bytes = bytesByInode.getOrDefault(entry.getKey(), entry.getValue().lengthBytes);
            long before = taken.getOrDefault(rule.number(), 0L);
            if (bytes > rule.mostBytes() - before) {
                metricRegistry.increment(Metric.PLACEMENT_RULES_PINS_REFUSED);
                all.remove();
            } else {
                taken.put(rule.number(), before + bytes);
                entry.setValue(new PinnedFile(rule, bytes));
            }
        }
    }

    /** These files have no blocks any more. */
    public void remove(Collection<Long> inodes) {
        files.keySet().removeAll(inodes);
    }
}
