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

    /**
     * In a turn of one read the code of whoever reads was in no cache, as others read before; readers of an application are not
     * alone, but do not take turns either.
     */
    private static final int READS_OF_TURN = 8;

    private static final int TURNS_OF_ROUND = 12;
    private static final int WHOLES_OF_ROUND = 5;

    /** Rounds for each that the plan has for a figure with a bound. */
    private static final int ROUNDS_OF_PAIR = 3;

    private final MeasurementPlan plan;
    private final ResultSheet scores;
    private final long seed;
    private final List<Client> clients;
    private final byte[] buffer = new byte[READ_BYTES];
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

    /**
     * Measures both.
     *
     * @param cold of the plan's length, read at random
     * @param small read as a whole: shorter turns are more alike than those of a large file
     */
    void run(Path cold, Path small, long smallBytes) throws IOException {
        scores.section("Cold reads: stock against Terrace on, lower bound of 95 %");
        for (Client client : clients) {
            BenchFiles.requireSame(clients.get(0), client, cold);
            BenchFiles.requireSame(clients.get(0), client, small);
            streams.put(client.name(), client.fs().open(cold));
        }
        int rounds = ROUNDS_OF_PAIR * plan.pairs();
        told(
                "cold.pos4k.tcp",
                READS_OF_TURN,
                new ShortTurns(clients, plan.warmUps(), rounds, TURNS_OF_ROUND, seed, this::readAtRandom));
        SequentialReads whole = new SequentialReads(List.of(small), smallBytes, plan.bufferBytes());
        told(
                "cold.seq.tcp",
                1,
                new ShortTurns(clients, plan.warmUps(), rounds, WHOLES_OF_ROUND, seed, (client, number) -> {
                    double unused = whole.cost(client, number);
                }));
    }

    private void readAtRandom(Client client, int number) throws IOException {
        FSDataInputStream in = Objects.requireNonNull(streams.get(client.name()));
        SplittableRandom random = new SplittableRandom(number);
        for (int i = 0; i < READS_OF_TURN; i++) {
            in.readFully(random.nextLong(plan.fileBytes() / READ_BYTES) * READ_BYTES, buffer, 0, READ_BYTES);
        }
    }

    private void told(String id, int readsOfTurn, ShortTurns turns) {
        scores.note(id + ".stock_us", turns.medianNs(STOCK) / readsOfTurn / 1e3, "us");
        for (String name : List.of(SAME, DECLINED, ACCESSOR, FILE_SYSTEM)) {
            String each = id + (name.equals(ACCESSOR) ? "" : "." + name);
            scores.note(each + ".median", turns.ratios(STOCK, name).median(), "");
            scores.note(each + ".cpu", turns.processorRatios(STOCK, name).median(), "by the thread's processor time");
            scores.note(each + ".cpu.bound", turns.processorRatios(STOCK, name).lowerBound(), "its lower bound");
            double bytesMore = turns.allocatedBytes(name) - turns.allocatedBytes(STOCK);
            scores.note(each + ".allocated", bytesMore / readsOfTurn, "bytes more");
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
