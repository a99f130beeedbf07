package io.terrace.bench.simulation;

import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the first line that the product logs as an error while it is open. The product goes on after such a line, without a
 * part of itself or with another policy, so nothing else shows it. What the product has in packages of Hadoop is bound to stock
 * Hadoop's classes; the simulation runs none of it, so only one logger is heard.
 */
final class ErrorLog extends AppenderSkeleton implements AutoCloseable {

    private final Logger product = LogManager.getLogger("io.terrace");
    private @Nullable LoggingEvent first;

    ErrorLog() {
        setThreshold(Level.ERROR);
        product.addAppender(this);
    }

    @Override
    protected void append(LoggingEvent event) {
        // No simulated fault explains an error: the product warns of faults.
        if (first == null && !event.getLoggerName().startsWith("io.terrace.bench.")) {
            first = event;
        }
    }

    /** The line; null if there was none. */
    @Nullable
    String line() {
        return first == null ? null : first.getLoggerName() + ": " + first.getRenderedMessage();
    }

    /** What it was logged with; null if nothing was. */
    @Nullable
    Throwable cause() {
        return first == null || first.getThrowableInformation() == null
                ? null
                : first.getThrowableInformation().getThrowable();
    }

    @Override
    public void close() {
        product.removeAppender(this);
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }
}
