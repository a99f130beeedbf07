package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class MetricsBeanTest {
    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final MetricRegistry metricRegistry = new MetricRegistry();

    @Test
    void attributes_areTheMetricsOfTheProcess_asTheyAreNow() throws Exception {
        ObjectName name = MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT);
        assertThat(name.getCanonicalName()).isEqualTo("io.terrace:name=TerraceClient");
        metricRegistry.add(Metric.CLIENT_REPORTED_BYTES, 7);
        assertThat(server.getAttribute(name, "ClientReportedBytes")).isEqualTo(7L);
        assertThat(server.getAttributes(name, new String[] {"ClientReportedBytes", "None"}))
                .containsExactly(new Attribute("ClientReportedBytes", 7L));
        assertThat(server.getMBeanInfo(name).getAttributes()).hasSize((int) Stream.of(Metric.values())
                .filter(metric -> metric.where() == Metric.Where.CLIENT)
                .count());
    }

    @Test
    void register_besideAnotherClassLoader_takesANameOfItsOwn() throws Exception {
        MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT);
        MetricRegistry other = new MetricRegistry();
        other.add(Metric.CLIENT_REPORTED_BYTES, 5);
        ObjectName second = MetricsBean.register(server, other, Metric.Where.CLIENT);
        assertThat(second.getKeyProperty("loader")).isEqualTo("2");
        assertThat(server.getAttribute(second, "ClientReportedBytes")).isEqualTo(5L);
    }

    @Test
    void attributes_thatAreNotThere_orAreSet_areRefused() throws Exception {
        ObjectName name = MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT);
        assertThatThrownBy(() -> server.getAttribute(name, "None")).isInstanceOf(AttributeNotFoundException.class);
        assertThatThrownBy(() -> server.setAttribute(name, new Attribute("ClientReportedBytes", 1L)))
                .isInstanceOf(AttributeNotFoundException.class);
    }
}
