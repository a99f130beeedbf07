package io.terrace.datanode.writethrough;

import io.terrace.common.PathGlob;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRuleProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRulesProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which new files get a copy in memory while they are written though their client does not ask for one: what the placement
 * service of each block pool made of its rules and of annotations. They are kept while no service answers. Thread-safe.
 */
public final class WriteThroughRules {

    private static final Logger LOG = LoggerFactory.getLogger(WriteThroughRules.class);
    private static final Rules NONE = new Rules(0, List.of());

    private final Map<String, Rules> pools = new ConcurrentHashMap<>();
    private final MetricRegistry metricRegistry;

    private record Rule(PathGlob path, boolean toMemory) {}

    private record Rules(long id, List<Rule> rules) {}

    /** None are known yet. */
    public WriteThroughRules(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
    }

    /** Which rules of a pool are known; 0 for none. */
    public long id(String pool) {
        return pools.getOrDefault(pool, NONE).id;
    }

    /** Takes the rules of a pool, in place of those before. Where one cannot be read, there are none. */
    public void take(String pool, WriteThroughRulesProto told) {
        List<Rule> rules = new ArrayList<>();
        try {
            for (WriteThroughRuleProto rule : told.getRulesList()) {
                rules.add(new Rule(PathGlob.of(rule.getPath()), rule.getToMemory()));
            }
        } catch (IllegalArgumentException e) {
            LOG.warn(
                    "Rules for files that are written are left out, this DataNode cannot read one: {}", e.getMessage());
            rules.clear();
        }
        pools.put(pool, new Rules(told.getId(), List.copyOf(rules)));
    }

    /**
     * Whether a new file is to get a copy.
     *
     * @param path as its client gives it; empty if it does not
     */
    public boolean wantCopy(String pool, String path) {
        if (!path.startsWith("/")) {
            return false;
        }
        for (Rule rule : pools.getOrDefault(pool, NONE).rules) {
            if (rule.path.matches(path)) {
                if (rule.toMemory) {
                    metricRegistry.increment(Metric.MEMORY_THROUGH_RULED);
                }
                return rule.toMemory;
            }
        }
        return false;
    }
}
