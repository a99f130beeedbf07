package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockVersion;
import io.terrace.protocol.PlacementDataNodePB;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.Test;

/** What the thread that sends heartbeats does when they fail. */
class HeartbeatAgentTest {

    private final HeartbeatExchange link = new HeartbeatFixture("pool", 1).exchange(() -> {});

    @Test
    void heartbeat_thatEndsInAnError_isNotTheLast() {
        AtomicInteger connects = new AtomicInteger();
        HeartbeatAgent.Connector connector = new HeartbeatAgent.Connector() {
            @Override
            public PlacementDataNodePB connect() {
                connects.incrementAndGet();
                throw new AssertionError("as was wanted");
            }

            @Override
            public void disconnect(PlacementDataNodePB service) {}
        };
        try (HeartbeatAgent thread = new HeartbeatAgent("test", told -> link, connector, 10, 1)) {
            assertThat(thread.exchange()).isSameAs(link);
            await().atMost(Duration.ofSeconds(60)).until(() -> connects.get() > 2);
        }
    }

    @Test
    void refusals_areOneLineOfTheLogEach_andNoWarningBeforeTheServiceIsReadyForThisDataNode() {
        RemoteException early = new RemoteException(RetriableException.class.getName(), "not yet\n\tat a.B");
        RemoteException refused = new RemoteException(IOException.class.getName(), "another pool\n\tat a.B");
        assertThat(logged(early, early, refused, early, refused, null, early, early))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("INFO").endsWith("not yet"),
                        line -> assertThat(line).startsWith("WARN").endsWith("another pool"),
                        line -> assertThat(line).startsWith("INFO").endsWith("answers"),
                        line -> assertThat(line).startsWith("WARN").endsWith("not yet"));
    }

    /** Else ten thousand DataNodes with promotions send ten thousand a second, though the service asked for one each ten seconds. */
    @Test
    void earlyHeartbeat_waitsForAFifthOfTheIntervalThatTheServiceAskedFor() {
        List<Long> beatsNs = new CopyOnWriteArrayList<>();
        HeartbeatAgent.Connector connector = new HeartbeatAgent.Connector() {
            @Override
            public PlacementDataNodePB connect() {
                return (controller, request) -> {
                    beatsNs.add(System.nanoTime());
                    return HeartbeatFixture.answer(1, true, true).toBuilder()
                            .setHeartbeatIntervalMs(2_500)
                            .build();
                };
            }

            @Override
            public void disconnect(PlacementDataNodePB service) {}
        };
        HeartbeatFixture fixture = new HeartbeatFixture("pool", 1);
        try (HeartbeatAgent thread = new HeartbeatAgent("test", fixture::exchange, connector, 10, 1)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> beatsNs.size() == 1);
            for (int id = 1; id <= 3; id++) {
                thread.exchange().residency(new BlockVersion(fixture.key(id), 100), true, false);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> beatsNs.size() == 2);
        }
        assertThat(beatsNs.get(1) - beatsNs.get(0))
                .isGreaterThanOrEqualTo(Duration.ofMillis(450).toNanos());
    }

    /** What is logged of heartbeats that are refused one after the other, but for those that are null, and all after the last. */
    private List<String> logged(RemoteException... refusals) {
        AtomicInteger calls = new AtomicInteger();
        HeartbeatAgent.Connector connector = new HeartbeatAgent.Connector() {
            @Override
            public PlacementDataNodePB connect() {
                return (controller, request) -> {
                    RemoteException refusal = refusals[Math.min(calls.getAndIncrement(), refusals.length - 1)];
                    if (refusal != null) {
                        throw new ServiceException(refusal);
                    }
                    return HeartbeatFixture.answer(1, true, true);
                };
            }

            @Override
            public void disconnect(PlacementDataNodePB service) {}
        };
        StringWriter text = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), text);
        Logger logger = Logger.getLogger(HeartbeatAgent.class);
        logger.addAppender(appender);
        try (HeartbeatAgent thread = new HeartbeatAgent("test", told -> link, connector, 10, 1)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> calls.get() > refusals.length + 1);
        } finally {
            logger.removeAppender(appender);
        }
        return text.toString().lines().toList();
    }
}
