package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.ShortTurns;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Reads of a block that is not in memory by stock clients: at a stock DataNode, and at one with Terrace, which looks whether it has a
 * copy, counts the read and times it.
 *
 * <p>The two are processes of their own, and two connections can differ by a third for as long as they live. So each turn goes over
 * another of several connections to either, and the processor time of the DataNodes is told beside.
 */
final class ColdDataNodes implements Closeable {
    private static final String STOCK = "stock";
    private static final String OURS = "datanode";
    private static final int READ_BYTES = 4 << 10;
    private static final int READS_OF_TURN = 8;
    private static final int TURNS_OF_ROUND = 12;
    private static final int WHOLES_OF_ROUND = 5;
    private static final int CONNECTIONS = 6;

    /** A second of the DataNode's processor time at the least, of which a tick is a hundredth. */
    private static final int READS_OF_TIME = 20_000;

    /** Long ones, so fewer by this than the plan has. */
    private static final int ROUNDS_OF_TIME = 3;

    private final LocalCluster stock;
    private final LocalCluster ours;
    private final MeasurementPlan plan;
    private final long seed;
    private final ResultSheet scores;
    private final byte[] buffer = new byte[READ_BYTES];
    private final List<Client> all = new ArrayList<>();

    /** @param stock a cluster without Terrace */
    ColdDataNodes(LocalCluster stock, LocalCluster ours, MeasurementPlan plan, long seed, ResultSheet scores) {
        this.stock = stock;
        this.ours = ours;
        this.plan = plan;
        this.seed = seed;
        this.scores = scores;
    }

    /** A stock client of a cluster: several connections, and a file that is not in memory open over each. */
    private final class Reader implements Closeable {
        private final List<FSDataInputStream> streams = new ArrayList<>();
        private final List<SequentialReads> wholes = new ArrayList<>();
        private final List<Client> clients = new ArrayList<>();
        private final List<Path> files;

        Reader(String name, LocalCluster cluster, long smallBytes) throws IOException {
            for (int i = 0; i < CONNECTIONS; i++) {
                Map<String, String> own = Map.of("dfs.client.context", "bench-" + name + i);
                Client client = new ClientVariant(name, own).open(cluster.confStock());
                clients.add(client);
                all.add(client);
            }
            BenchFiles stored =
                    new BenchFiles((DistributedFileSystem) clients.get(0).fs(), seed);
            Path cold = stored.store("cold-datanode", 1, plan.fileBytes()).get(0);
            Path small = stored.store("small-datanode", 1, smallBytes).get(0);
            this.files = List.of(cold, small);
            for (Client client : clients) {
                streams.add(client.fs().open(cold));
                wholes.add(new SequentialReads(List.of(small), smallBytes, plan.bufferBytes()));
            }
        }

        /** Both clusters have the same files. */
        void requireSame(Client stockClient) throws IOException {
            for (Client client : clients) {
                for (Path file : files) {
                    BenchFiles.requireSame(stockClient, client, file);
                }
            }
        }

        void readAtRandom(int number, int reads) throws IOException {
            FSDataInputStream in = streams.get(number % CONNECTIONS);
            SplittableRandom random = new SplittableRandom(number);
            for (int i = 0; i < reads; i++) {
                in.readFully(random.nextLong(plan.fileBytes() / READ_BYTES) * READ_BYTES, buffer, 0, READ_BYTES);
            }
        }

        void readWhole(int number) throws IOException {
            int connection = number % CONNECTIONS;
            double unused = wholes.get(connection).cost(clients.get(connection), number);
        }

        @Override
        public void close() throws IOException {
            for (FSDataInputStream in : streams) {
                in.close();
            }
        }
    }

    void run(long smallBytes) throws IOException {
        scores.section("Cold reads by stock clients: stock DataNode against DataNode with Terrace");
        try (Reader atStock = new Reader(STOCK, stock, smallBytes);
                Reader atOurs = new Reader(OURS, ours, smallBytes)) {
            atStock.requireSame(atStock.clients.get(0));
            atOurs.requireSame(atStock.clients.get(0));
            Map<String, Reader> readers = Map.of(STOCK, atStock, OURS, atOurs);
            List<Client> pair = List.of(atStock.clients.get(0), atOurs.clients.get(0));
            told(
                    "cold.pos4k.tcp.datanode",
                    new ShortTurns(pair, plan.warmUps(), plan.pairs(), TURNS_OF_ROUND, seed, (client, number) -> reader(
                                    readers, client)
                            .readAtRandom(number, READS_OF_TURN)));
            told(
                    "cold.seq.tcp.datanode",
                    new ShortTurns(
                            pair, plan.warmUps(), plan.pairs(), WHOLES_OF_ROUND, seed, (client, number) -> reader(
                                            readers, client)
                                    .readWhole(number)));
            processorTime(atStock, atOurs);
        }
    }

    private static Reader reader(Map<String, Reader> readers, Client client) {
        Reader reader = readers.get(client.name());
        if (reader == null) {
            throw new IllegalArgumentException("no reader " + client.name());
        }
        return reader;
    }

    private void told(String id, ShortTurns turns) {
        scores.note(id + ".median", turns.ratios(STOCK, OURS).median(), "");
        scores.note(id, turns.ratios(STOCK, OURS).lowerBound(), "lower bound of 95 %");
    }

    /** In turns, as a DataNode gets faster while it compiles. */
    private void processorTime(Reader atStock, Reader atOurs) throws IOException {
        ProcessTime ofStock = new ProcessTime(stock.datanode(1));
        ProcessTime ofOurs = new ProcessTime(ours.datanode(1));
        int rounds = Math.max(3, plan.rounds() / ROUNDS_OF_TIME);
        double[] stockSeconds = new double[rounds];
        double[] ourSeconds = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            int number = round;
            stockSeconds[round] = ofStock.secondsDuring(() -> atStock.readAtRandom(number, READS_OF_TIME));
            ourSeconds[round] = ofOurs.secondsDuring(() -> atOurs.readAtRandom(number, READS_OF_TIME));
        }
        PairedRatios ratios = new PairedRatios(stockSeconds, ourSeconds);
        scores.note("cold.pos4k.tcp.datanode.cpu", ratios.median(), "by the DataNode's processor time");
        scores.note(
                "cold.pos4k.tcp.datanode.stock_cpu_us",
                PairedRatios.medianOf(stockSeconds) / READS_OF_TIME * 1e6,
                "us of the stock DataNode for a read");
    }

    @Override
    public void close() throws IOException {
        for (Client client : all) {
            client.close();
        }
    }
}
