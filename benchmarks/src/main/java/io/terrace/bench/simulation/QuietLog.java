package io.terrace.bench.simulation;

import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Priority;
import org.apache.log4j.spi.LoggerRepository;

/**
 * Prints nothing of the log of the whole process while it is open. The code under simulation warns of each injected fault,
 * which nobody needs over many seeds. A seed that failed is replayed with its log. Errors still reach an {@link ErrorLog}.
 */
final class QuietLog implements AutoCloseable {
    private final LoggerRepository loggers = LogManager.getLoggerRepository();
    private final Level before = loggers.getThreshold();
    private final Map<AppenderSkeleton, Priority> printed = new HashMap<>();

    QuietLog() {
        loggers.setThreshold(Level.ERROR);
        Enumeration<?> appenders = LogManager.getRootLogger().getAllAppenders();
        while (appenders.hasMoreElements()) {
            if (appenders.nextElement() instanceof AppenderSkeleton printing) {
                printed.put(printing, printing.getThreshold());
                printing.setThreshold(Level.OFF);
            }
        }
    }

    @Override
    public void close() {
        printed.forEach(AppenderSkeleton::setThreshold);
        loggers.setThreshold(before);
    }
}
