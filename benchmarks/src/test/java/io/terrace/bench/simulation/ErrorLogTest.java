package io.terrace.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the product logs as an error is kept, also where nothing is printed. */
final class ErrorLogTest {

    private static final String PRODUCT = "io.terrace.placement.Part";

    @Test
    void line_ofTheProduct_isKeptWithWhatWasThrown() {
        IllegalStateException thrown = new IllegalStateException("why");
        try (QuietLog quiet = new QuietLog();
                ErrorLog errors = new ErrorLog()) {
            LoggerFactory.getLogger(PRODUCT).warn("only a warning");
            assertThat(errors.line()).isNull();

            LoggerFactory.getLogger(PRODUCT).error("goes on without it", thrown);
            LoggerFactory.getLogger(PRODUCT).error("a later one");

            assertThat(errors.line()).isEqualTo(PRODUCT + ": goes on without it");
            assertThat(errors.cause()).isSameAs(thrown);
        }
    }

    @Test
    void line_ofTheSimulationOrOfHadoop_isNone() {
        try (ErrorLog errors = new ErrorLog()) {
            LoggerFactory.getLogger("io.terrace.bench.simulation.Part").error("of the simulation");
            LoggerFactory.getLogger("org.apache.hadoop.Part").error("of Hadoop");

            assertThat(errors.line()).isNull();
        }
    }

    @Test
    void line_afterTheEnd_isNotKept() {
        ErrorLog ended = new ErrorLog();
        ended.close();

        LoggerFactory.getLogger(PRODUCT).error("of the next seed");

        assertThat(ended.line()).isNull();
    }
}
