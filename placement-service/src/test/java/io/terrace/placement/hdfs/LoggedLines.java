package io.terrace.placement.hdfs;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** What loggers say, from now until it is closed. */
public final class LoggedLines extends AppenderSkeleton implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Logger> loggers;

    public LoggedLines(String... names) {
        loggers = Arrays.stream(names).map(Logger::getLogger).toList();
        loggers.forEach(logger -> logger.addAppender(this));
    }

    /** The messages in their order; the caller may clear them. */
    public List<String> lines() {
        return lines;
    }

    @Override
    protected void append(LoggingEvent event) {
        lines.add(event.getRenderedMessage());
    }

    @Override
    public void close() {
        loggers.forEach(logger -> logger.removeAppender(this));
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }
}
