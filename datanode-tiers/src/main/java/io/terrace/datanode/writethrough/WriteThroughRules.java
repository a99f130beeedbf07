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

    /** Takes the rules of a pool, in place of those before; told without rules, they are those of that id. */
    public void take(String pool, WriteThroughRulesProto told) {
        if (told.getId() == id(pool)) {
            return;
        }
        List<Rule> rules = new ArrayList<>();
        for (WriteThroughRuleProto rule : told.getRulesList()) {
            try {
                rules.add(new Rule(PathGlob.of(rule.getPath()), rule.getToMemory()));
            } catch (IllegalArgumentException e) {
                LOG.warn("A rule for new files is left out, as this DataNode cannot read it: {}", e.getMessage());
            }
        }
        pools.put(pool, new Rules(told.getId(), List.copyOf(rules)));
    }

    /** The service has no rules, or is too old to tell them. */
    public void forget(String pool) {
        pools.remove(pool);
    }

    /**
     * Whether a new file is to get a copy.
     *
     * @param path as its client gives it; empty if it does not
     */
    public boolean wantCopy(String pool, String path) {
        List<Rule> rules = pools.getOrDefault(pool, NONE).rules;
        if (rules.isEmpty() || !path.startsWith("/")) {
            return false;
        }
        String[] components = PathGlob.components(path);
        for (Rule rule : rules) {
            if (rule.path.matches(components)) {
                if (rule.toMemory) {
                    metricRegistry.increment(Metric.MEMORY_THROUGH_RULED);
                }
                return rule.toMemory;
            }
        }
        return false;
    }
}
