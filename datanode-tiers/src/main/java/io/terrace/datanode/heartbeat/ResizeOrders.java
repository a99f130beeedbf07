package io.terrace.datanode.heartbeat;

import io.terrace.datanode.memory.MemorySize;
import io.terrace.protocol.proto.DataNodeProtos.ResizeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizedProto;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Orders to change the size of the memory tier, and what came of the last one of each block pool. All links of the process share
 * them: a NameNode that becomes active, or is added, hears what another one has changed. Thread-safe.
 */
public final class ResizeOrders {

    private final MemorySize memorySize;
    private final Map<String, ResizedProto> last = new HashMap<>();

    /** Orders for this tier, of which there was none yet. */
    public ResizeOrders(MemorySize memorySize) {
        this.memorySize = memorySize;
    }

    /** Carries an order out, once for each id: the service asks again until it hears of the result. Whether it did. */
    synchronized boolean take(String pool, ResizeProto order) {
        ResizedProto before = last.get(pool);
        if (before != null && before.getId() == order.getId()) {
            return false;
        }
        String refusal = memorySize.change(order.getCapacityBytes());
        ResizedProto.Builder result = ResizedProto.newBuilder()
                .setId(order.getId())
                .setCapacityBytes(order.getCapacityBytes())
                .setConfiguredBytes(memorySize.configuredBytes());
        if (refusal != null) {
            result.setRefusal(refusal);
        }
        last.put(pool, result.build());
        return true;
    }

    /** What came of the last one; null before the first. */
    synchronized @Nullable ResizedProto last(String pool) {
        return last.get(pool);
    }
}
