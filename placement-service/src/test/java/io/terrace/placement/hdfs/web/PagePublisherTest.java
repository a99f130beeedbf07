package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.hdfs.LoggedLines;
import org.junit.jupiter.api.Test;

/** What keeps the page's samples coming. */
class PagePublisherTest {

    private long nowMs;

    @Test
    void sampler_thatMeetsAnError_goesOnAndLogsOnce() {
        SharedSnapshot shared = new SharedSnapshot(
                () -> {
                    throw new NoClassDefFoundError("planted");
                },
                () -> nowMs += 5_000);
        Runnable sampler = new PagePublisher.Sampler(shared, new ClusterHistory());
        try (LoggedLines log = new LoggedLines(PagePublisher.class.getName())) {
            sampler.run();
            sampler.run();
            assertThat(log.lines()).hasSize(1).first().asString().contains("no samples");
        }
    }
}
