package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What keeps the page's samples coming. */
class PagePublisherTest {

    /** A snapshot has findings of the NameNode's health, for which it looks at all DataNodes. */
    @Test
    void samples_areTakenWithoutASnapshot() {
        ClusterHistory history = new ClusterHistory();
        AtomicInteger taken = new AtomicInteger();
        Runnable sampler = new PagePublisher.Sampler(
                () -> taken.incrementAndGet() == 1
                        ? null
                        : List.of(NodeProto.newBuilder().setMovesInFlight(3).buildPartial()),
                history);
        for (int i = 0; i < 5; i++) {
            sampler.run();
        }
        assertThat(history.json(0, 0).get("movesInFlight")).hasSize(4).allMatch(moves -> moves.intValue() == 3);
    }

    @Test
    void sampler_thatMeetsAnError_goesOnAndLogsOnce() {
        Runnable sampler = new PagePublisher.Sampler(
                () -> {
                    throw new NoClassDefFoundError("planted");
                },
                new ClusterHistory());
        try (LoggedLines log = new LoggedLines(PagePublisher.class.getName())) {
            sampler.run();
            sampler.run();
            assertThat(log.lines()).hasSize(1).first().asString().contains("no samples");
        }
    }
}
