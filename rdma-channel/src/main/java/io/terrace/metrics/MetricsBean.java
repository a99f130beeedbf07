package io.terrace.metrics;

import java.lang.management.ManagementFactory;
import java.util.Hashtable;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * io.terrace:name=RECORD}, with the attributes that metrics2 would have. If the JVM has the bean already, as when another class
 * loader loaded Terrace too, this one's name ends in {@code ,loader=2}, and so on.
 */
public final class MetricsBean implements DynamicMBean {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsBean.class);
    private static final String DOMAIN = "io.terrace";
    private static final int MOST_LOADERS = 100;

    private final MetricRegistry metricRegistry;
    private final Metric.Where where;
    private final Map<String, Metric> metrics;

    private MetricsBean(MetricRegistry metricRegistry, Metric.Where where) {
        this.metricRegistry = metricRegistry;
        this.where = where;
        this.metrics = Stream.of(Metric.values())
                .filter(metric -> metric.where() == where)
                .collect(Collectors.toMap(Metrics2Source::attribute, Function.identity()));
    }

    /** Shows the metrics of one kind of process in the JMX of this JVM; logs if it cannot. */
    public static void show(MetricRegistry metricRegistry, Metric.Where where) {
        try {
            ObjectName name = register(ManagementFactory.getPlatformMBeanServer(), metricRegistry, where);
            LOG.debug("Metrics are in JMX as {}", name);
        } catch (JMException | RuntimeException | LinkageError e) {
            LOG.info("The metrics of {} are not in JMX: {}", where.record(), e.toString());
        }
    }

    /**
     * Registers the metrics of one kind of process.
     *
     * @return the bean's name
     */
    static ObjectName register(MBeanServer server, MetricRegistry metricRegistry, Metric.Where where)
            throws JMException {
        MetricsBean bean = new MetricsBean(metricRegistry, where);
        InstanceAlreadyExistsException taken = new InstanceAlreadyExistsException();
        for (int loader = 1; loader <= MOST_LOADERS; loader++) {
            try {
                return server.registerMBean(bean, name(where, loader)).getObjectName();
            } catch (InstanceAlreadyExistsException e) {
                taken = e;
            }
        }
        throw taken;
    }

    private static ObjectName name(Metric.Where where, int loader) throws JMException {
        Hashtable<String, String> keys = new Hashtable<>(Map.of("name", where.record()));
        if (loader > 1) {
            keys.put("loader", Integer.toString(loader));
        }
        return new ObjectName(DOMAIN, keys);
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Metric metric = metrics.get(attribute);
        if (metric == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return metricRegistry.value(metric);
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        AttributeList values = new AttributeList();
        for (String attribute : attributes) {
            Metric metric = metrics.get(attribute);
            if (metric != null) {
                values.add(new Attribute(attribute, metricRegistry.value(metric)));
            }
        }
        return values;
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanAttributeInfo[] attributes = metrics.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> new MBeanAttributeInfo(
                        entry.getKey(), "long", entry.getValue().doc(), true, false, false))
                .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(MetricsBean.class.getName(), "Metrics of " + where.record(), attributes, null, null, null);
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String actionName, Object[] params, String[] signature) {
        throw new UnsupportedOperationException(actionName);
    }
}
