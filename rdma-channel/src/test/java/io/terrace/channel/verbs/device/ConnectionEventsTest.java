package io.terrace.channel.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.verbs.FakeConnections;
import io.terrace.channel.verbs.FakeDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ConnectionEventsTest {
    private static final int FAILING = 3;

    @Test
    void anEventThatEndsInAnError_isNotTheLast_andFailuresAreNotAFlood() throws Exception {
        FakeConnections cm = new FakeConnections();
        cm.onLook = look -> {
            if (look <= FAILING) {
                throw new AssertionError("as was wanted");
            }
        };
        long begunNs = System.nanoTime();
        try (FakeDevice unused = new FakeDevice();
                ConnectionEvents events = new ConnectionEvents(cm)) {
            await().until(() -> cm.looks.get() > FAILING);
            assertThat(events.watched()).isZero();
        }
        assertThat(System.nanoTime() - begunNs)
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(FAILING * ConnectionEvents.LOOK_MS));
    }
}
