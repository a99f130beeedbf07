package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.ShortTurns;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/**
 * Reads of a block that is not in memory, by stock HDFS and by clients with Terrace on. Both sides read by stock's code, so what
 * differs is small, and is measured in {@link ShortTurns}.
 *
 * <p>All clients have one context of Hadoop's, and so read over the same connection: on one machine two connections can differ
 * by a third for as long as they live. Stock is compared with itself beside, which is what the method cannot tell apart. Hadoop
 * makes and asks an accessor for each block that is opened; one that only declines shows what that costs, and the FileSystem class
 * does without.
 */
final class ColdReads implements Closeable {
    private static final String STOCK = "stock";
    private static final String SAME = "same";
    private static final String DECLINED = "declined";
    private static final String ACCESSOR = "accessor";
    private static final String FILE_SYSTEM = "class";
    private static final double TARGET = 0.97;
    private static final int READ_BYTES = 4 << 10;
    private static final Map<String, String> SHARED = Map.of("dfs.client.context", "bench-cold");

    /** Positional reads of a round; a pair of shorter rounds is less precise, but there are more of them. */
    private static final int READS_OF_ROUND = 100;

    /** Rounds for each that the plan has for a figure with a bound. */
    private static final int ROUNDS_OF_PAIR = 3;

    private final MeasurementPlan plan;
    private final ResultSheet scores;
    private final long seed;
    private final List<Client> clients;
    private final Map<String, FSDataInputStream> streams = new HashMap<>();

    ColdReads(LocalCluster cluster, MeasurementPlan plan, long seed, ResultSheet scores) throws IOException {
        this.plan = plan;
        this.scores = scores;
        this.seed = seed;
        this.clients = List.of(
                new ClientVariant(STOCK, SHARED).open(cluster.confStock()),
                new ClientVariant(SAME, SHARED).open(cluster.confStock()),
                new ClientVariant(DECLINED, SHARED)
                        .with(
                                DECLINED,
                                Map.of(
                                        "dfs.client.replica.accessor.builder.classes",
                                        DecliningAccessorBuilder.class.getName()))
                        .open(cluster.confStock()),
                new ClientVariant(ACCESSOR, SHARED).open(cluster.conf()),
                ClientVariant.remote().with(FILE_SYSTEM, SHARED).open(cluster.conf()));
    }

    void run(Path cold) throws IOException {
        scores.section("Cold reads: stock against Terrace on, lower bound of 95 %");
        for (Client client : clients) {
            streams.put(client.name(), client.fs().open(cold));
        }
        byte[] buffer = new byte[READ_BYTES];
        long pieces = plan.fileBytes() / READ_BYTES;
        int rounds = ROUNDS_OF_PAIR * plan.pairs();
        told(
                "cold.pos4k.tcp",
                new ShortTurns(clients, plan.warmUps(), rounds, READS_OF_ROUND, seed, (client, number) -> {
                    long position = new SplittableRandom(number).nextLong(pieces) * READ_BYTES;
                    Objects.requireNonNull(streams.get(client.name())).readFully(position, buffer, 0, READ_BYTES);
                }));
        SequentialReads whole = new SequentialReads(List.of(cold), plan.fileBytes(), plan.bufferBytes());
        told("cold.seq.tcp", new ShortTurns(clients, plan.warmUps(), rounds, 1, seed, (client, number) -> {
            double unused = whole.cost(client, number);
        }));
    }

    private void told(String id, ShortTurns turns) {
        scores.note(id + ".stock_us", turns.medianNs(STOCK) / 1e3, "us");
        for (String name : List.of(SAME, DECLINED, ACCESSOR, FILE_SYSTEM)) {
            String each = id + (name.equals(ACCESSOR) ? "" : "." + name);
            scores.note(each + ".median", turns.ratios(STOCK, name).median(), "");
            scores.note(each + ".cpu", turns.processorRatios(STOCK, name).median(), "by the thread's processor time");
            scores.note(each + ".cpu.bound", turns.processorRatios(STOCK, name).lowerBound(), "its lower bound");
            scores.note(each + ".allocated", turns.allocatedBytes(name) - turns.allocatedBytes(STOCK), "bytes more");
            if (name.equals(DECLINED)) {
                scores.note(each, turns.ratios(STOCK, name).lowerBound(), "");
            } else {
                scores.atLeast(each, turns.ratios(STOCK, name).lowerBound(), TARGET);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream in : streams.values()) {
            in.close();
        }
        for (Client client : clients) {
            client.close();
        }
    }
}
