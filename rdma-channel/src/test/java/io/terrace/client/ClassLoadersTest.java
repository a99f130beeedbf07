package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import java.lang.management.ManagementFactory;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The metrics of two clients that class loaders of their own loaded into one JVM, over one Hadoop. */
class ClassLoadersTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
    private static final String OURS = "io.terrace:name=TerraceClient,*";
    private static final String METRICS2 = "Hadoop:service=Loaders,name=TerraceClient,*";
    private static final String METRIC = "ReportedBytesTotal";

    private Set<ObjectName> before;

    /** A Hadoop of this test alone, so that its metrics2 can be started and stopped. */
    private URLClassLoader hadoop;

    private OwnTerrace one;
    private OwnTerrace other;

    @BeforeEach
    void load() throws Exception {
        before = SERVER.queryNames(new ObjectName(OURS), null);
        hadoop = new URLClassLoader(OwnTerrace.classPath(), ClassLoader.getPlatformClassLoader());
        one = new OwnTerrace(hadoop);
        other = new OwnTerrace(hadoop);
    }

    @AfterEach
    void unload() throws Exception {
        metrics2().getMethod("shutdown").invoke(null);
        for (ObjectName bean : SERVER.queryNames(new ObjectName(OURS), null)) {
            if (!before.contains(bean)) {
                SERVER.unregisterMBean(bean);
            }
        }
        one.close();
        other.close();
        hadoop.close();
    }

    @Test
    void metrics2_startedBefore_hasBothClients() throws Exception {
        startMetrics2();
        count(one, 7);
        count(other, 5);
        List<ObjectName> beans = beans(METRICS2);
        assertThat(beans).hasSize(2);
        assertThat(beans.get(0).getKeyProperty("loader"))
                .isNotEqualTo(beans.get(1).getKeyProperty("loader"));
        assertThat(values(beans(OURS))).containsExactlyInAnyOrder(7L, 5L);
    }

    @Test
    void metrics2_notStarted_bothClientsAreInJmx_andInMetrics2OnceItStarts() throws Exception {
        count(one, 7);
        count(other, 5);
        assertThat(beans(METRICS2)).isEmpty();
        assertThat(values(beans(OURS))).containsExactlyInAnyOrder(7L, 5L);
        startMetrics2();
        assertThat(values(beans(METRICS2))).containsExactlyInAnyOrder(7L, 5L);
    }

    private Class<?> metrics2() throws ClassNotFoundException {
        return hadoop.loadClass("org.apache.hadoop.metrics2.lib.DefaultMetricsSystem");
    }

    private void startMetrics2() throws Exception {
        Object unused = metrics2().getMethod("initialize", String.class).invoke(null, "Loaders");
    }

    /** Loads the client, if it is not yet, and counts. */
    private static void count(ClassLoader loader, long reported) throws Exception {
        Object registry = loader.loadClass(ClientMetrics.class.getName())
                .getMethod("metricRegistry")
                .invoke(null);
        Class<?> metric = loader.loadClass(Metric.class.getName());
        Object unused = registry.getClass()
                .getMethod("add", metric, long.class)
                .invoke(registry, metric.getField("CLIENT_REPORTED_BYTES").get(null), reported);
    }

    /** The new beans that have the metric. */
    private List<ObjectName> beans(String pattern) throws Exception {
        List<ObjectName> beans = new ArrayList<>();
        for (ObjectName bean : SERVER.queryNames(new ObjectName(pattern), null)) {
            if (!before.contains(bean)
                    && bean.getKeyProperty("reason") == null
                    && bean.getKeyProperty("outcome") == null) {
                beans.add(bean);
            }
        }
        return beans;
    }

    private static List<Object> values(List<ObjectName> beans) throws Exception {
        List<Object> values = new ArrayList<>();
        for (ObjectName bean : beans) {
            values.add(SERVER.getAttribute(bean, METRIC));
        }
        return values;
    }
}
