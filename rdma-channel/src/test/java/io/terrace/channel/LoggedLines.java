package io.terrace.channel;

import java.io.StringWriter;
import java.util.List;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;

/** What a class writes to its log meanwhile. */
public final class LoggedLines implements AutoCloseable {
    private final Logger logger;
    private final StringWriter text = new StringWriter();
    private final WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), text);

    public LoggedLines(Class<?> of) {
        this.logger = Logger.getLogger(of);
        logger.addAppender(appender);
    }

    public List<String> containing(String part) {
        return text.toString().lines().filter(line -> line.contains(part)).toList();
    }

    @Override
    public void close() {
        logger.removeAppender(appender);
    }
}
