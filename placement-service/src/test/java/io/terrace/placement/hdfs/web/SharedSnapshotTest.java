package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.hdfs.admin.ClusterSnapshot;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedSnapshotTest {

    static final ClusterSnapshot EMPTY = new ClusterSnapshot(
            StatusResponseProto.newBuilder()
                    .setNameNode("nn")
                    .setBlockPoolId("BP-1")
                    .setActive(true)
                    .setEpoch(1)
                    .setServe(true)
                    .setMoves(true)
                    .setPolicy("lru")
                    .setMoveBytesPerSecond(0)
                    .build(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of());

    private final AtomicLong nowMs = new AtomicLong(5);
    private final AtomicInteger taken = new AtomicInteger();

    @Test
    void latest_forManyWithinASecond_isTakenOnce() throws Exception {
        SharedSnapshot shared = new SharedSnapshot(
                () -> {
                    taken.incrementAndGet();
                    return EMPTY;
                },
                nowMs::get);
        ClusterJson first = shared.latest();
        nowMs.addAndGet(999);
        assertThat(shared.latest()).isSameAs(first);
        assertThat(taken).hasValue(1);
        nowMs.addAndGet(1);
        assertThat(shared.latest()).isNotSameAs(first);
        assertThat(taken).hasValue(2);
    }

    @Test
    void latest_afterAFailure_failsForASecondWithoutAsking() throws Exception {
        SharedSnapshot shared = new SharedSnapshot(
                () -> {
                    if (taken.incrementAndGet() == 1) {
                        throw new IOException("busy");
                    }
                    return EMPTY;
                },
                nowMs::get);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(shared::latest).hasMessage("busy");
        }
        assertThat(taken).hasValue(1);
        nowMs.addAndGet(1000);
        assertThat(shared.latest().snapshot()).isSameAs(EMPTY);
    }
}
