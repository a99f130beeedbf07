package io.terrace.bench.fuzz;

import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What operators ordered, as the root's attribute has it: one that is taken is the same when it is stored again. */
final class OperatorStates implements FuzzTarget {

    @Override
    public List<byte[]> seeds() {
        OperatorState paused = OperatorState.initial().withPaused(new Order("alice", 1_700_000_000_000L));
        return List.of(
                OperatorState.initial().encoded(),
                OperatorState.off().encoded(),
                paused.encoded(),
                "terrace=1 serve=true moves=true pins=1,2".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void read(byte[] input) {
        OperatorState state;
        try {
            state = OperatorState.decoded(input);
        } catch (IllegalArgumentException e) {
            return;
        }
        byte[] stored;
        try {
            stored = state.encoded();
        } catch (IllegalArgumentException e) {
            // Somebody else wrote more than this would store.
            return;
        }
        FuzzTarget.require(
                OperatorState.decoded(stored)
                        .pins()
                        .keySet()
                        .equals(state.pins().keySet()),
                "other pins");
    }
}
