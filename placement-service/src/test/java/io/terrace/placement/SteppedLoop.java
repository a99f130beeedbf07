package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.protocol.StampedBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/** An active loop, two DataNodes of 10 MB memory and a clock, for tests that step it. */
public abstract class SteppedLoop {

    public static final long MB = 1 << 20;

    public final FakeNamespaceView names = new FakeNamespaceView();
    public final MetricRegistry metricRegistry = new MetricRegistry();
    public final PlacementSettings settings = settings(Map.of());
    public final FakeDataNode one = new FakeDataNode("one", 10 * MB);
    public final FakeDataNode two = new FakeDataNode("two", 10 * MB);
    public PlacementEngine placement = new PlacementEngine(settings, names, metricRegistry);
    public long nowMs = 1_000;

    /** The defaults but for these, and a policy that is easy to foresee. */
    static PlacementSettings settings(Map<String, String> conf) {
        return PlacementSettings.from(key -> key.equals("terrace.placement.policy") ? "idecider" : conf.get(key));
    }

    @BeforeEach
    void activate() {
        placement.activate(7, OperatorState.initial());
    }

    public static StampedBlock block(long id, long megabytes) {
        return new StampedBlock(id, 1000 + id, megabytes * MB);
    }

    /** The names of all. */
    static List<String> policies() {
        return PolicyCatalog.kinds().stream().map(PolicyKind::name).toList();
    }

    /** A policy file of these lines, applied. */
    public static PolicyChoice applied(String... lines) {
        try {
            return new PolicyChoice(PolicyFile.read("test", String.join("\n", lines)), Source.APPLIED, 1);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets the block be that of a file of one block. */
    void name(StampedBlock block, long inode, String path) {
        names.named.put(block.id(), new Named(inode, path));
        names.lengths.put(inode, block.lengthBytes());
    }

    public HeartbeatAnswer beat(FakeDataNode node) {
        nowMs += 250;
        placement.turn(nowMs);
        return node.beat(placement, nowMs);
    }

    void warm(FakeDataNode node, StampedBlock... blocks) {
        for (StampedBlock block : blocks) {
            node.reads(block, 3);
            beat(node);
        }
        beat(node);
        assertThat(node.memory.keySet())
                .contains(Arrays.stream(blocks).map(StampedBlock::id).toArray(Long[]::new));
        node.orders.clear();
    }
}
