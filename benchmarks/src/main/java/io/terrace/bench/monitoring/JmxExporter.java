package io.terrace.bench.monitoring;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.terrace.bench.cluster.MavenJars;
import io.terrace.bench.cluster.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** Prometheus's JMX exporter with the configuration of monitoring/, loaded into JVMs that run. */
final class JmxExporter {
    private final Path agent;
    private final Path configuration;

    /** @param root of the checkout */
    JmxExporter(Path root) throws IOException {
        this.agent = MavenJars.of(root, "jmx-exporter", "jmx-exporter", List.of())
                .resolve()
                .get(0);
        this.configuration = root.resolve("monitoring").resolve("jmx-exporter.yml");
    }

    /** The option by which a JVM loads it at its start, as docs/monitoring.md says. */
    String option(int port) {
        return "-javaagent:" + agent + "=127.0.0.1:" + port + ":" + configuration;
    }

    /** Loads it into a JVM, where it stays, and fetches its page. */
    PrometheusText page(ProcessHandle jvm) throws IOException {
        int port = Ports.free(1, new SplittableRandom()).get(0);
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(jvm.pid()));
            try {
                machine.loadAgent(agent.toString(), "127.0.0.1:" + port + ":" + configuration);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
            throw new IOException("the JMX exporter cannot be loaded into process " + jvm.pid(), e);
        }
        return PrometheusText.of("http://127.0.0.1:" + port + "/metrics");
    }
}
