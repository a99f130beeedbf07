package io.terrace.bench.simulation;

import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.spi.LoggerRepository;

/**
 * Keeps the log of the whole process silent while it is open. A seed injects faults without end, and the code that meets
 * them warns of each as it should; over many seeds that tells nobody anything. A seed that failed is replayed with its log.
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
