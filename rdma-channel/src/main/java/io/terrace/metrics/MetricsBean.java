package io.terrace.metrics;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a {@link MetricRegistry} in JMX without Hadoop's metrics2, which some applications never start: the bean {@code
 * io.terrace:name=RECORD}, and one for each tag, with the attributes that metrics2 would have. If the JVM has the bean already, as
 * when another class loader loaded Terrace too, the names have a key {@code loader=2}, and so on.
 */
public final class MetricsBean implements DynamicMBean {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsBean.class);
    private static final String DOMAIN = "io.terrace";
    private static final String LOADER = "loader";
    private static final int MOST_LOADERS = 100;

    private final MetricRegistry metricRegistry;
    private final Metric.Where where;
    private final Map<String, Series> attributes;

    private MetricsBean(MetricRegistry metricRegistry, Metric.Where where, List<Series> members) {
        this.metricRegistry = metricRegistry;
        this.where = where;
        this.attributes = members.stream().collect(Collectors.toMap(Series::attribute, Function.identity()));
    }

    /**
     * Shows the metrics of one process in the JMX of this JVM; logs if it cannot.
     *
     * @return the tag that tells them from those of other class loaders; none for the first
     */
    public static List<Series.Tag> show(MetricRegistry metricRegistry, Metric.Where where) {
        try {
            return register(ManagementFactory.getPlatformMBeanServer(), metricRegistry, where);
        } catch (JMException | RuntimeException | LinkageError e) {
            LOG.info("The metrics of {} are not in JMX: {}", where.record(), e.toString());
            return List.of();
        }
    }

    /** Registers the metrics of one process. */
    static List<Series.Tag> register(MBeanServer server, MetricRegistry metricRegistry, Metric.Where where)
            throws JMException {
        Map<List<Series.Tag>, List<Series>> groups = Series.byTag(where);
        List<Series.Tag> loader = claim(server, new MetricsBean(metricRegistry, where, groups.remove(List.of())));
        for (Map.Entry<List<Series.Tag>, List<Series>> group : groups.entrySet()) {
            server.registerMBean(
                    new MetricsBean(metricRegistry, where, group.getValue()), name(where, loader, group.getKey()));
        }
        return loader;
    }

    /** Registers the bean without a tag, by whose name each class loader has its number. */
    private static List<Series.Tag> claim(MBeanServer server, MetricsBean bean) throws JMException {
        InstanceAlreadyExistsException taken = new InstanceAlreadyExistsException();
        for (int number = 1; number <= MOST_LOADERS; number++) {
            List<Series.Tag> loader =
                    number == 1 ? List.of() : List.of(new Series.Tag(LOADER, Integer.toString(number)));
            try {
                server.registerMBean(bean, name(bean.where, loader, List.of()));
                return loader;
            } catch (InstanceAlreadyExistsException e) {
                taken = e;
            }
        }
        throw taken;
    }

    private static ObjectName name(Metric.Where where, List<Series.Tag> loader, List<Series.Tag> tags)
            throws JMException {
        // In this order, by which exporters match names.
        StringBuilder name = new StringBuilder(DOMAIN + ":name=" + where.record());
        loader.forEach(tag -> name.append(',').append(tag));
        tags.forEach(tag -> name.append(',').append(tag));
        return new ObjectName(name.toString());
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Series series = attributes.get(attribute);
        if (series == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return value(series);
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList values = new AttributeList();
        for (String name : names) {
            Series series = attributes.get(name);
            if (series != null) {
                values.add(new Attribute(name, value(series)));
            }
        }
        return values;
    }

    private Number value(Series series) {
        return series.shown(metricRegistry.value(series.metric()));
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanAttributeInfo[] infos = attributes.values().stream()
                .map(series -> new MBeanAttributeInfo(
                        series.attribute(),
                        series.shown(0) instanceof Double ? "double" : "long",
                        series.metric().doc(),
                        true,
                        false,
                        false))
                .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(MetricsBean.class.getName(), "Metrics of " + where.record(), infos, null, null, null);
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList toSet) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String actionName, Object[] params, String[] signature) {
        throw new UnsupportedOperationException(actionName);
    }
}
