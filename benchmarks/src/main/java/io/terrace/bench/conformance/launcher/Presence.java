package io.terrace.bench.conformance.launcher;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Counts daemons with Terrace and evictions by the log of a test JVM: a class that passes without Terrace proves
 * nothing.
 *
 * <p>An appender of the log that Hadoop's tests have. A DataNode or NameNode that is started again counts again, with
 * Terrace and without.
 */
final class Presence extends AppenderSkeleton {
    private static final String HDFS = "org.apache.hadoop.hdfs.server.";
    private static final String TERRACE = "io.terrace.";

    /** What is counted: the logger's name, its level and how the message begins. Strings, since this JVM may have no Terrace. */
    enum Line {
        DATANODE(TestRun.Figure.DATANODES, HDFS + "datanode.DataNode", Level.INFO, "Starting DataNode with"),
        DATANODE_WITH_TERRACE(
                TestRun.Figure.DATANODES_WITH_TERRACE,
                TERRACE + "datanode.hdfs.PluginStarter",
                Level.INFO,
                "Terrace serves up to"),
        NAMENODE(TestRun.Figure.NAMENODES, HDFS + "namenode.NameNode", Level.INFO, "NameNode RPC up at"),
        NAMENODE_WITH_TERRACE(
                TestRun.Figure.NAMENODES_WITH_TERRACE,
                TERRACE + "placement.hdfs.PlacementService",
                Level.INFO,
                "Terrace placement service up at"),
        EVICTED(
                TestRun.Figure.EVICTIONS,
                TERRACE + "bench.conformance.datanode.EagerPromotion",
                Level.INFO,
                "Evicted "),
        BROKE_OFF(
                TestRun.Figure.BROKE_OFF,
                TERRACE + "datanode.hdfs.dataset.GuardedListener",
                Level.ERROR,
                "Terrace stops"),
        NOT_STARTED(
                TestRun.Figure.BROKE_OFF,
                TERRACE + "datanode.hdfs.PluginStarter",
                Level.ERROR,
                "Terrace could not start, the DataNode is stock"),
        NOT_MADE(
                TestRun.Figure.BROKE_OFF,
                TERRACE + "datanode.hdfs.TerraceDataNodePlugin",
                Level.ERROR,
                "Terrace could not start, the DataNode is stock");

        private final String figure;
        final String logger;
        private final Level level;
        final String beginning;

        Line(String figure, String logger, Level level, String beginning) {
            this.figure = figure;
            this.logger = logger;
            this.level = level;
            this.beginning = beginning;
        }

        boolean is(LoggingEvent event) {
            return logger.equals(event.getLoggerName())
                    && level.equals(event.getLevel())
                    && event.getRenderedMessage().startsWith(beginning);
        }
    }

    private final Map<Line, AtomicLong> seen = new ConcurrentHashMap<>();

    /** Counts from now on. */
    static Presence watched() {
        Presence presence = new Presence();
        Logger.getRootLogger().addAppender(presence);
        return presence;
    }

    Map<String, Long> figures() {
        Map<String, Long> figures = new TreeMap<>();
        seen.forEach((line, count) -> figures.merge(line.figure, count.get(), Long::sum));
        return figures;
    }

    @Override
    protected void append(LoggingEvent event) {
        for (Line line : Line.values()) {
            if (line.is(event)) {
                seen.computeIfAbsent(line, none -> new AtomicLong()).incrementAndGet();
            }
        }
    }

    @Override
    public void close() {
        // Nothing to close.
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }
}
