package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.soak.logs.VolumeMoves;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks at each process at a moment at which nobody reads or writes. One of which nothing can be seen is counted and left out. */
final class Samples {
    private final SoakCluster soak;
    private final boolean terrace;
    private final Growth growth;
    private final VolumeMoves moves;
    private final Findings findings;
    private final ResultSheet sheet;

    private interface Sample {
        void take() throws IOException;
    }

    Samples(SoakCluster soak, boolean terrace, Growth growth, VolumeMoves moves, Findings findings, ResultSheet sheet) {
        this.soak = soak;
        this.terrace = terrace;
        this.growth = growth;
        this.moves = moves;
        this.findings = findings;
        this.sheet = sheet;
    }

    void take(List<ClientProcess> clients) {
        for (ClientProcess client : clients) {
            take(client.name(), () -> growth.add(client.name() + " " + client.pid(), ProcessSample.of(client.pid())));
        }
        List<Daemon> daemons = soak.cluster().daemons();
        for (Daemon daemon : daemons) {
            if (soak.mayRunTerrace(daemon)) {
                take(daemon.name(), () -> take(daemon));
            }
        }
        if (terrace) {
            take("the placement service", this::takeFigures);
        }
    }

    /** A process that ends meanwhile, or does not answer, is counted where it is missed. */
    void take(String name, Sample sample) {
        try {
            sample.take();
        } catch (IOException e) {
            findings.count("samples.failed", 1);
            sheet.progress("no sample of " + name + ": " + e);
        }
    }

    private void take(Daemon daemon) throws IOException {
        Optional<ProcessHandle> process = daemon.process();
        if (process.isEmpty()) {
            return;
        }
        long pid = process.get().pid();
        Map<ProcessSample.Resource, Long> sample = ProcessSample.of(pid);
        if (terrace && soak.memoryOf(daemon).isPresent()) {
            ProcessSample.addMemory(sample, soak.memoryOf(daemon).get(), SoakCluster.MEMORY_BYTES);
        }
        growth.add(daemon.name() + " " + pid, sample);
    }

    private void takeFigures() throws IOException {
        try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
            Map<String, Long> figures = admin.serviceFigures();
            soak.cluster().namenode().process().ifPresent(process -> moves.takeOfService(process.pid(), figures));
            List<NodeProto> nodes = admin.nodes();
            for (int i = 1; i <= SoakCluster.DATANODES; i++) {
                String end = ":" + soak.cluster().transferPort(i);
                Optional<ProcessHandle> process = soak.cluster().datanode(i).process();
                nodes.stream()
                        .filter(node -> process.isPresent() && node.getName().endsWith(end))
                        .forEach(node -> moves.takeOfDataNode(process.get().pid(), PlacementAdmin.figures(node)));
            }
        }
    }
}
