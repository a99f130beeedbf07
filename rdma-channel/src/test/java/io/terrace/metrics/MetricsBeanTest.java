package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class MetricsBeanTest {
    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final MetricRegistry metricRegistry = new MetricRegistry();

    private static ObjectName bean(String keys) throws Exception {
        return new ObjectName("io.terrace:name=TerraceClient" + keys);
    }

    @Test
    void attributes_areTheMetricsOfTheProcess_asTheyAreNow() throws Exception {
        assertThat(MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT))
                .isEmpty();
        metricRegistry.add(Metric.CLIENT_REPORTED_BYTES, 7);
        metricRegistry.add(Metric.CLIENT_FALLBACK_OFF, 3);
        assertThat(server.getAttribute(bean(""), "ReportedBytesTotal")).isEqualTo(7L);
        assertThat(server.getAttribute(bean(",reason=off"), "FallbackTotal")).isEqualTo(3L);
        assertThat(server.getAttributes(bean(""), new String[] {"ReportedBytesTotal", "None"}))
                .containsExactly(new Attribute("ReportedBytesTotal", 7L));
        assertThat(server.getMBeanInfo(bean("")).getAttributes())
                .hasSize(Series.byTag(Metric.Where.CLIENT)
                        .values()
                        .iterator()
                        .next()
                        .size());
    }

    @Test
    void register_besideAnotherClassLoader_takesNamesOfItsOwn() throws Exception {
        MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT);
        MetricRegistry other = new MetricRegistry();
        other.add(Metric.CLIENT_REPORTED_BYTES, 5);
        assertThat(MetricsBean.register(server, other, Metric.Where.CLIENT))
                .containsExactly(new Series.Tag("loader", "2"));
        assertThat(server.getAttribute(bean(",loader=2"), "ReportedBytesTotal")).isEqualTo(5L);
        assertThat(server.isRegistered(bean(",loader=2,reason=off"))).isTrue();
    }

    @Test
    void attributes_thatAreNotThere_orAreSet_areRefused() throws Exception {
        MetricsBean.register(server, metricRegistry, Metric.Where.CLIENT);
        assertThatThrownBy(() -> server.getAttribute(bean(""), "None")).isInstanceOf(AttributeNotFoundException.class);
        assertThatThrownBy(() -> server.setAttribute(bean(""), new Attribute("ReportedBytesTotal", 1L)))
                .isInstanceOf(AttributeNotFoundException.class);
    }
}
