package io.terrace.bench.jmh;

import static java.util.Objects.requireNonNull;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.server.GrantLimits;
import io.terrace.channel.server.GrantServer;
import io.terrace.channel.server.Peer;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.client.BlockReadRequest;
import io.terrace.client.ClientMetrics;
import io.terrace.client.LocalAccess;
import io.terrace.client.StreamGrants;
import io.terrace.client.read.ReadRouter;
import io.terrace.client.read.ReplicaOrder;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A positional read of a block in memory whose grant is held, as HBase makes them: a reader is opened, reads once into an array and
 * is closed. Everything but what stock's stream does around it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls start() before anything else
public class HeldBlock {
    private static final BlockKey BLOCK = new BlockKey("BP-1-127.0.0.1-1", 7, 1007);
    private static final int LENGTH = 32 << 20;
    private static final int TOKEN_BYTES = 150;
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9866);

    @Param({"1", "66000"})
    int readBytes;

    @Param({"0", "64m"})
    String mapped;

    private final StreamGrants held = new StreamGrants();
    private final ToIntFunction<DatanodeInfo> distances = holder -> 0;

    private Path directory;
    private SlotTable table;
    private GrantServer server;
    private Configuration conf;
    private ReadRouter router;
    private LocatedBlock block;
    private byte[] target;
    private long position;

    @Setup
    public void start() throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "terrace-held");
        Path channel = Files.createDirectory(directory.resolve("channel"));
        Path file = Files.write(directory.resolve("extent"), new byte[LENGTH]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        table = SlotTable.create(directory.resolve("slots"), 1 << 16, new Random(1));
        int slot = table.claim(BLOCK);
        LinkDirectory links = LinkDirectory.create(directory.resolve("links"));
        ExtentDescriptor extent =
                new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 0, LENGTH, slot, table.sequence(slot));
        table.publish(slot);
        server = new GrantServer(
                SocketDirectory.check(channel),
                "datanode",
                table,
                links,
                new OneExtent(links, file, extent),
                GrantLimits.DEFAULT,
                new MetricRegistry());
        conf = new Configuration(false);
        conf.set("terrace.channel.dir", channel.toString());
        conf.set("terrace.client.mapped.max", mapped);
        router = new ReadRouter(
                requireNonNull(LocalAccess.of(conf)),
                null,
                new ReplicaOrder(false, 0, ClientMetrics.metricRegistry()),
                ClientMetrics.metricRegistry());
        block = new LocatedBlock(
                new ExtendedBlock(BLOCK.pool(), BLOCK.blockId(), LENGTH, BLOCK.generationStamp()), new DatanodeInfo[0]);
        block.setBlockToken(new Token<BlockTokenIdentifier>(
                new byte[TOKEN_BYTES], new byte[20], new Text("HDFS_BLOCK_TOKEN"), new Text("")));
        target = new byte[readBytes];
        for (int i = 0; i < 1000; i++) {
            if (read() != readBytes) {
                throw new IllegalStateException("not read from memory");
            }
        }
    }

    @TearDown
    public void stop() throws IOException {
        server.close();
        table.close();
        FileUtil.fullyDelete(directory.toFile());
    }

    @Benchmark
    public int read() throws IOException {
        position = (position + 1_234_567) % (LENGTH - readBytes);
        if (!router.mayServe(block, held)) {
            return -1;
        }
        BlockReadRequest range = new BlockReadRequest(
                block, position, position + readBytes, HERE, false, true, "user", distances, conf, held);
        try (BlockReader reader = router.open(
                range,
                "datanode",
                (offset, bytes) -> {
                    throw new IOException("not from memory");
                },
                null)) {
            return reader.readAll(target, 0, readBytes);
        }
    }

    /** Grants one extent to whoever asks. */
    private static final class OneExtent extends ForgetfulGrants {
        private final LinkDirectory links;
        private final Path file;
        private final ExtentDescriptor extent;
        private final AtomicLong lastGrant = new AtomicLong();

        OneExtent(LinkDirectory links, Path file, ExtentDescriptor extent) {
            this.links = links;
            this.file = file;
            this.extent = extent;
        }

        @Override
        public GrantAnswer grant(Peer peer, GrantRequest request) {
            try {
                return new Grant(lastGrant.incrementAndGet(), extent, links.link(file), LEASE_MS);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
