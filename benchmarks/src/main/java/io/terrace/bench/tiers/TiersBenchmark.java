package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;

/**
 * Moves of replicas between volumes, by rules of the policy file, under readers that compare every byte. On a cluster of two
 * DataNodes with a volume of each type, all of them directories of one file system: no medium is modelled.
 */
public final class TiersBenchmark implements Closeable {

    private static final long STEP_LIMIT_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int READERS = 3;

    private static final Tier DISK = new Tier("disk", StorageType.DISK);
    private static final Tier SSD = new Tier("ssd", StorageType.SSD);
    private static final Tier NVM = new Tier("nvm", StorageType.NVDIMM);
    private static final Tier ARCHIVE = new Tier("archive", StorageType.ARCHIVE);

    /** A tier as rules name it, which is the name of its directory too. */
    private record Tier(String name, StorageType type) {}

    private final LocalCluster cluster;
    private final WalkPlan plan;
    private final long seed;
    private final ResultSheet scores;
    private final DataSet data;
    private final PlacementAdmin placement;
    private final FileSystem stock;

    public TiersBenchmark(LocalCluster cluster, WalkPlan plan, long seed, ResultSheet scores) throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.seed = seed;
        this.scores = scores;
        this.data = DataSet.seeded(seed, (long) plan.files() * plan.fileBytes(), plan.fileBytes());
        this.placement = new PlacementAdmin(cluster);
        this.stock = ClientVariant.stock().open(cluster.confStock()).fs();
    }

    /** What the cluster must be told for this benchmark: a volume of each type, and many small moves at a time. */
    public static Map<String, String> settings() {
        List<String> volumes = new ArrayList<>();
        for (Tier tier : List.of(DISK, SSD, NVM, ARCHIVE)) {
            volumes.add("[" + tier.type + "]file://${hadoop.tmp.dir}/" + tier.name);
        }
        return Map.of(
                "dfs.datanode.data.dir", String.join(",", volumes),
                "terrace.placement.volume.moves.in-flight", "32",
                "terrace.placement.volume.bandwidth", "0",
                "terrace.datanode.heartbeat.interval.min", "20ms");
    }

    /** Moves every replica from tier to tier, by a change of the rule each time. */
    public void walk() throws IOException {
        scores.section("walk: " + plan.files() + " replicas of " + plan.fileBytes()
                + " bytes, disk -> ssd -> nvm -> archive -> disk, under readers");
        scores.progress("media: none is modelled; all volumes are directories of one file system");
        store();
        List<WalkReader> readers = readers();
        MappedDelays mapped = new MappedDelays(cluster, stock, data);
        double seconds = 0;
        try {
            readers.forEach(WalkReader::start);
            for (Tier tier : List.of(SSD, NVM, ARCHIVE, DISK)) {
                long startNs = System.nanoTime();
                placement.apply(policy(tier.name));
                await(mapped, tier);
                double step = (System.nanoTime() - startNs) / 1e9;
                seconds += step;
                scores.note("walk." + tier.name + ".seconds", step, "s");
            }
        } finally {
            for (WalkReader reader : readers) {
                reader.stop();
            }
        }
        report(readers, mapped, seconds);
    }

    private static String policy(String tier) {
        return "policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: /data/**\n  tiers: " + tier
                + "\n";
    }

    private void store() throws IOException {
        try (VerifyingClient writer = new VerifyingClient(
                ClientVariant.stock().open(cluster.confStock()).fs(), data)) {
            for (int file = 0; file < plan.files(); file++) {
                writer.store(file);
            }
        }
        for (int file = 0; file < plan.pinned(); file++) {
            placement.promote(
                    new org.apache.hadoop.fs.Path(data.files().get(file).path()));
        }
    }

    /** Over tcp from stock's client, short-circuit, and through grants. */
    private List<WalkReader> readers() throws IOException {
        List<ClientVariant> variants = new ArrayList<>(List.of(ClientVariant.stock(), ClientVariant.local(cluster)));
        if (cluster.spec().nativeDir().isEmpty()) {
            scores.progress("libhadoop is not there: nobody reads short-circuit");
        } else {
            variants.add(ClientVariant.shortCircuit(cluster, 64 << 10));
        }
        List<WalkReader> readers = new ArrayList<>();
        for (ClientVariant variant : variants) {
            for (int i = 0; i < READERS / variants.size() || i == 0; i++) {
                readers.add(new WalkReader(
                        variant.name(), variant.open(cluster.confStock()).fs(), data, seed + readers.size()));
            }
        }
        return readers;
    }

    private void await(MappedDelays mapped, Tier tier) throws IOException {
        long deadlineNs = System.nanoTime() + STEP_LIMIT_NS;
        long toldNs = System.nanoTime();
        mapped.begin(tier.name, tier.type);
        while (!mapped.isDone()) {
            if (System.nanoTime() > deadlineNs) {
                throw new IOException(mapped.missing() + " of " + plan.files() + " replicas are not on " + tier.name
                        + " after " + TimeUnit.NANOSECONDS.toSeconds(STEP_LIMIT_NS) + " s; figures of the service: "
                        + placement.serviceFigures());
            }
            if (System.nanoTime() - toldNs > TimeUnit.SECONDS.toNanos(10)) {
                toldNs = System.nanoTime();
                scores.progress(mapped.missing() + " replicas are to come to " + tier.name);
            }
            mapped.look();
        }
    }

    private void report(List<WalkReader> readers, MappedDelays mapped, double seconds) throws IOException {
        Map<String, Long> figures = placement.serviceFigures();
        for (WalkReader reader : readers) {
            if (!reader.firstError().isEmpty()) {
                scores.progress("a reader failed: " + reader.firstError());
            }
        }
        scores.note("walk.reads", readers.stream().mapToLong(WalkReader::reads).sum(), "files read and compared");
        scores.note(
                "walk.local_mb",
                readers.stream().mapToLong(WalkReader::grantedBytes).sum() / 1e6,
                "MB through grants or short-circuit");
        scores.note("walk.moves", figures.getOrDefault("placement.volume.moves.done", 0L), "moves");
        scores.note("walk.moves_s", figures.getOrDefault("placement.volume.moves.done", 0L) / seconds, "moves/s");
        scores.below(
                "walk.wrong_bytes",
                readers.stream().mapToLong(WalkReader::wrongBytes).sum(),
                1);
        scores.below(
                "walk.read_errors",
                readers.stream().mapToLong(WalkReader::errors).sum(),
                1);
        scores.below("walk.doubles", ReplicaFiles.doubles(volumes()), 1);
        scores.below("walk.mapped_p99_ms", mapped.percentileMs(0.99), 500.001);
        scores.below("walk.others", figures.getOrDefault("placement.volume.others", 0L), 1);
    }

    private List<Path> volumes() {
        List<Path> volumes = new ArrayList<>();
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            volumes.add(cluster.layout().home(ClusterLayout.datanode(i)).resolve("tmp"));
        }
        return volumes;
    }

    @Override
    public void close() throws IOException {
        placement.close();
        stock.close();
    }
}
