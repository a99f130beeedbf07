package io.terrace.bench.simulation;

import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.spi.LoggerRepository;

/**
 * Turns the log of the whole process off while it is open. The code under simulation warns of each injected fault,
 * which nobody needs over many seeds. A seed that failed is replayed with its log.
 */
final class QuietLog implements AutoCloseable {
    private final LoggerRepository loggers = LogManager.getLoggerRepository();
    private final Level before = loggers.getThreshold();

    QuietLog() {
        loggers.setThreshold(Level.OFF);
    }

    @Override
    public void close() {
        loggers.setThreshold(before);
    }
}
