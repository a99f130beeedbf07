package io.terrace.metrics;

import java.util.Locale;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * Shows {@link Figures} in Hadoop's metrics2, and so in JMX: context {@code terrace}, one attribute for each figure, named
 * after its id ({@code client.granted.shm.bytes} is {@code ClientGrantedShmBytes}).
 */
public final class Metrics2Bridge implements MetricsSource, AutoCloseable {
    private static final String CONTEXT = "terrace";

    private final MetricsSystem system;
    private final String name;
    private final Figures figures;
    private final Figure.Where where;

    private Metrics2Bridge(MetricsSystem system, String name, Figures figures, Figure.Where where) {
        this.system = system;
        this.name = name;
        this.figures = figures;
        this.where = where;
    }

    /**
     * Registers the figures of one kind of process.
     *
     * @param name of the source, and of the bean; unique in its metrics system
     */
    public static Metrics2Bridge register(MetricsSystem system, String name, Figures figures, Figure.Where where) {
        Metrics2Bridge bridge = new Metrics2Bridge(system, name, figures, where);
        system.register(name, "Terrace's figures", bridge);
        return bridge;
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        MetricsRecordBuilder record = collector.addRecord(name).setContext(CONTEXT);
        for (Figure figure : Figure.values()) {
            if (figure.where() != where) {
                continue;
            }
            MetricsInfo info = Interns.info(attribute(figure), figure.doc());
            if (figure.kind() == Figure.Kind.COUNTER) {
                record.addCounter(info, figures.value(figure));
            } else {
                record.addGauge(info, figures.value(figure));
            }
        }
    }

    @Override
    public void close() {
        system.unregisterSource(name);
    }

    /** The figure's name in metrics2. */
    public static String attribute(Figure figure) {
        StringBuilder attribute = new StringBuilder();
        for (String word : figure.id().split("[._-]")) {
            attribute.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return attribute.toString();
    }
}
