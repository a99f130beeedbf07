package io.terrace.placement;

import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Pin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Ends pins that were made for a time. Their ends are stored as times of the wall clock; how far away an end is, is read off
 * that clock once, when the pin becomes known, and counted on the loop's own clock from then on. So nothing happens to a pin
 * when the wall clock is set. Owned by the engine's thread.
 */
final class PinEnds {

    private final LongSupplier wallClockMs;
    private final Map<Long, End> ends = new HashMap<>();

    /** @param untilMs as it is stored */
    private record End(long untilMs, long atMs) {}

    /** @param wallClockMs milliseconds since 1970 */
    PinEnds(LongSupplier wallClockMs) {
        this.wallClockMs = wallClockMs;
    }

    /** The state without the pins that have ended; the same object if none has. */
    OperatorState remaining(long nowMs, OperatorState state) {
        ends.keySet().retainAll(state.pins().keySet());
        List<Long> ended = new ArrayList<>();
        for (Map.Entry<Long, Pin> entry : state.pins().entrySet()) {
            long untilMs = entry.getValue().untilMs();
            if (untilMs == 0) {
                ends.remove(entry.getKey());
                continue;
            }
            End end = ends.get(entry.getKey());
            if (end == null || end.untilMs != untilMs) {
                end = new End(untilMs, nowMs + untilMs - wallClockMs.getAsLong());
                ends.put(entry.getKey(), end);
            }
            if (nowMs >= end.atMs) {
                ended.add(entry.getKey());
            }
        }
        return ended.isEmpty() ? state : state.withoutPins(ended);
    }
}
