package io.terrace.bench.jmh;

import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.server.GrantLimits;
import io.terrace.channel.server.GrantServer;
import io.terrace.channel.server.Peer;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.client.TerraceAccessorBuilder;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Time for a client to know that a block is not in memory, so that stock HDFS reads it. A DataNode of this host serves an empty
 * slot table. With {@code -prof gc} the bytes that it allocates; the builder itself, which Hadoop makes for each block that it
 * opens, is made once.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls start() before anything else
public class AbsentBlock {
    private static final String POOL = "BP-1-127.0.0.1-1";
    private static final int TOKEN_BYTES = 150;

    private Path directory;
    private SlotTable table;
    private GrantServer server;
    private ReplicaAccessorBuilder builder;
    private long next;

    @Setup
    public void start() throws IOException {
        directory = Files.createTempDirectory("terrace-absent");
        Path channel = Files.createDirectory(directory.resolve("channel"));
        table = SlotTable.create(directory.resolve("slots"), 1 << 16, new Random(1));
        server = new GrantServer(
                SocketDirectory.check(channel),
                "datanode",
                table,
                LinkDirectory.create(directory.resolve("links")),
                new NoGrants(),
                GrantLimits.DEFAULT,
                new MetricRegistry());
        Configuration conf = new Configuration(false);
        conf.set("terrace.channel.dir", channel.toString());
        builder = new TerraceAccessorBuilder()
                .setAllowShortCircuitReads(true)
                .setBlockAccessToken(new byte[TOKEN_BYTES])
                .setClientName("DFSClient_NONMAPREDUCE_1_1")
                .setConfiguration(conf)
                .setVisibleLength(4096);
    }

    @TearDown
    public void stop() throws IOException {
        server.close();
        table.close();
        FileUtil.fullyDelete(directory.toFile());
    }

    @Benchmark
    public @Nullable ReplicaAccessor build() {
        next++;
        return builder.setBlock(next, POOL).setGenerationStamp(next).build();
    }

    /** Nobody asks: no block is there. */
    private static final class NoGrants extends ForgetfulGrants {
        @Override
        public GrantAnswer grant(Peer peer, GrantRequest request) {
            throw new IllegalStateException("nothing is there to grant");
        }
    }
}
