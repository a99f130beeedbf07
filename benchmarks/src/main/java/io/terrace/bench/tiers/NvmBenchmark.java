package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.BenchFiles;
import io.terrace.bench.read.PositionalReads;
import io.terrace.bench.tiers.media.MediaDatasetFactory;
import io.terrace.bench.tiers.media.Medium;
import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;

/**
 * Positional reads of 4 KB on the DataNode's host, in turns: of a replica on NVM through grants, the same with nothing mapped, of
 * the same replica with stock's short-circuit reads and a buffer of that size, and of a copy in memory of another file through
 * grants. Each client maps as much as it would in a process of its own.
 */
public final class NvmBenchmark {

    private static final int READ_BYTES = 4 << 10;

    /** Of what a plan reads in a round: a read takes microseconds, and the compiler is to be done before one counts. */
    private static final int MORE_READS = 10;

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String ON_NVM = "nvm";
    private static final String UNMAPPED = "unmapped";
    private static final String IN_MEMORY = "memory";
    private static final String TUNED = "sctuned";

    /** What a process maps by default. All clients here share one process, whose first one maps so much. */
    private static final long MAPPED_BYTES = 64L << 20;

    private final MeasurementPlan plan;
    private final Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;

    /**
     * Of one cluster.
     *
     * @param properties of the user, for every daemon and client
     */
    public NvmBenchmark(MeasurementPlan plan, Path dir, long seed, Map<String, String> properties, ResultSheet scores) {
        this.plan = plan;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
    }

    /** Measures all. */
    public void run() throws IOException {
        Path links = Files.createDirectories(dir.resolve("links"));
        scores.section("nvm: positional reads of 4 KB of one replica, " + (plan.fileBytes() >> 20)
                + " MB; NVM is a directory on " + Files.getFileStore(dir).type()
                + ", whose pages are in memory after the first read, and so no slower than memory");
        scores.progress(
                Medium.described() + "; reads through grants and short-circuit pass no DataNode once a file is open");
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("cluster"), spec(links))) {
            measure(temporary.cluster());
        }
        Files.deleteIfExists(links.resolve("links"));
        Files.delete(links);
    }

    private ClusterSpec spec(Path links) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.datanode.data.dir", "[DISK]file://${hadoop.tmp.dir}/disk,[NVDIMM]file://${hadoop.tmp.dir}/nvm");
        all.put(
                TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(),
                links.toAbsolutePath().toString());
        all.putAll(MediaDatasetFactory.settings(true));
        all.putAll(properties);
        return ClusterSpec.of(1, 2 * plan.fileBytes())
                .withReplication(1)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(all);
    }

    private void measure(LocalCluster cluster) throws IOException {
        if (cluster.spec().nativeDir().isEmpty()) {
            throw new IOException(
                    "stock reads short-circuit only with libhadoop: set JAVA_LIBRARY_PATH to its directory");
        }
        try (Client stock = ClientVariant.shortCircuit(cluster, READ_BYTES).open(cluster.confStock());
                Client onNvm = mapping(ON_NVM, 2 * MAPPED_BYTES).open(cluster.conf());
                Client unmapped = mapping(UNMAPPED, 0).open(cluster.conf());
                Client inMemory = mapping(IN_MEMORY, MAPPED_BYTES).open(cluster.conf())) {
            DistributedFileSystem dfs = (DistributedFileSystem) stock.fs();
            BenchFiles files = new BenchFiles(dfs, seed);
            org.apache.hadoop.fs.Path memoryFile =
                    files.store(IN_MEMORY, 1, plan.fileBytes()).get(0);
            files.pin(List.of(memoryFile));
            dfs.setStoragePolicy(memoryFile.getParent(), HdfsConstants.ALLNVDIMM_STORAGE_POLICY_NAME);
            org.apache.hadoop.fs.Path nvmFile =
                    files.store(ON_NVM, 1, plan.fileBytes()).get(0);
            BenchFiles.requireSame(stock, inMemory, memoryFile);
            BenchFiles.requireSame(stock, onNvm, nvmFile);
            awaitGranted(onNvm, nvmFile);
            awaitGranted(unmapped, nvmFile);
            measure(List.of(stock, onNvm, unmapped, inMemory), nvmFile, memoryFile);
        }
    }

    /** @param mostBytes that all clients of the process together may have mapped for it to map more */
    private static ClientVariant mapping(String name, long mostBytes) {
        return new ClientVariant(name, Map.of(TerraceSettings.CLIENT_MAPPED_MAX.key(), Long.toString(mostBytes)));
    }

    private static void awaitGranted(Client client, org.apache.hadoop.fs.Path file) throws IOException {
        long deadlineNs = System.nanoTime() + LIMIT_NS;
        long before = grantedOnNvm();
        byte[] buffer = new byte[READ_BYTES];
        while (grantedOnNvm() == before) {
            if (System.nanoTime() > deadlineNs) {
                throw new IOException(file + " is not granted on NVM after " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS)
                        + " s; see the DataNode's log");
            }
            try (FSDataInputStream in = client.fs().open(file)) {
                in.readFully(0, buffer);
            }
        }
    }

    private static long grantedOnNvm() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_NVM_BYTES);
    }

    private static long granted() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
    }

    private void measure(List<Client> clients, org.apache.hadoop.fs.Path nvmFile, org.apache.hadoop.fs.Path memoryFile)
            throws IOException {
        long onNvm = grantedOnNvm();
        long inMemory = granted() - onNvm;
        int reads = MORE_READS * plan.readsPerRound();
        try (PositionalReads ofNvm = new PositionalReads(nvmFile, plan.fileBytes(), READ_BYTES, reads);
                PositionalReads ofMemory = new PositionalReads(memoryFile, plan.fileBytes(), READ_BYTES, reads)) {
            InterleavedRuns runs = new InterleavedRuns(
                    clients,
                    plan.warmUps(),
                    plan.rounds(),
                    (client, round) -> (client.name().equals(IN_MEMORY) ? ofMemory : ofNvm).cost(client, round));
            long bytes = (long) (plan.warmUps() + plan.rounds()) * reads * READ_BYTES;
            requireGranted(ON_NVM, grantedOnNvm() - onNvm, 2 * bytes);
            requireGranted(IN_MEMORY, granted() - grantedOnNvm() - inMemory, bytes);
            for (Client client : clients) {
                scores.note("nvm.pos4k." + client.name() + "_us", runs.median(client.name()), "us");
            }
            scores.atLeast("nvm.pos4k.memory", runs.ratios(IN_MEMORY, ON_NVM).median(), 0.8);
            scores.atLeast("nvm.pos4k.sctuned", runs.ratios(TUNED, ON_NVM).median(), 2);
            scores.note(
                    "nvm.pos4k.unmapped.sctuned", runs.ratios(TUNED, UNMAPPED).median(), "with nothing mapped");
        }
    }

    /** What is measured must be what is named. */
    private static void requireGranted(String name, long grantedBytes, long readBytes) throws IOException {
        if (grantedBytes != readBytes) {
            throw new IOException(
                    "of " + readBytes + " bytes read as " + name + ", " + grantedBytes + " came through its grants");
        }
    }
}
