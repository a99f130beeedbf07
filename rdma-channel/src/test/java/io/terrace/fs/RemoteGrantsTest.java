package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.BlockKey;
import io.terrace.channel.ChannelException;
import io.terrace.channel.Descriptor;
import io.terrace.channel.ExtentOwner;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.LinkDirectory;
import io.terrace.channel.Peer;
import io.terrace.channel.ReadReport;
import io.terrace.channel.SlotTable;
import io.terrace.channel.Tier;
import io.terrace.channel.tcp.AnnouncedBlocks;
import io.terrace.channel.tcp.Checksums;
import io.terrace.channel.tcp.OneSidedRanges;
import io.terrace.channel.tcp.TcpGrantServer;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client keeps of the grants that a DataNode gave it. */
final class RemoteGrantsTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 1000;
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 1);

    @TempDir
    Path dir;

    private SlotTable table;
    private TcpGrantServer server;
    private RemoteConnection connection;
    private RemoteGrants grants;

    @BeforeEach
    void start() throws IOException {
        table = SlotTable.create(dir.resolve("slots"), 16, new Random(7));
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        Path extent = Files.write(dir.resolve("extent"), new byte[LENGTH]);
        server = TcpGrantServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "datanode",
                new AnnouncedBlocks(table),
                links,
                new Owner(links, extent),
                (block, length, most) -> Checksums.NONE,
                LENGTH,
                OneSidedRanges.NONE,
                TcpLimits.DEFAULT,
                new Figures());
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.tcp.timeout", "20s");
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        RemoteSettings settings = RemoteSettings.from(conf);
        connection = RemoteConnection.to(
                "datanode", (InetSocketAddress) server.address(), settings, "user/test", new Figures());
        grants = new RemoteGrants(connection, settings, new Figures());
    }

    @AfterEach
    void stop() throws IOException {
        connection.close();
        server.close();
        table.close();
    }

    @Test
    void grants_ofOpensThatAreOver_areDetached_andOthersAreKept() throws Exception {
        RemoteGrant first = grants.of(key(1), new byte[0]);
        first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
        grants.letGoOfOver(System.nanoTime());
        first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
        assertThat(grants.of(key(1), new byte[0])).isSameAs(first);

        grants.letGoOfOver(System.nanoTime() + 2 * HOUR_NS);
        assertThatThrownBy(() -> first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS))
                .as("though its lease is not over for the DataNode")
                .isInstanceOf(ChannelException.class);
        RemoteGrant second = grants.of(key(1), new byte[0]);
        assertThat(second).isNotSameAs(first);
        second.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
    }

    private static RemoteGrant.Key key(int token) {
        return new RemoteGrant.Key("user", BLOCK, new byte[] {(byte) token});
    }

    /** Gives a grant for an hour to everybody. */
    private static final class Owner implements ExtentOwner {
        private final LinkDirectory links;
        private final Path extent;
        private final AtomicLong lastGrant = new AtomicLong();

        Owner(LinkDirectory links, Path extent) {
            this.links = links;
            this.extent = extent;
        }

        @Override
        public GrantAnswer grant(Peer peer, GrantRequest request) {
            try {
                Descriptor descriptor = new Descriptor(request.block(), Tier.MEMORY, 0, LENGTH, 0, 1);
                long leaseMs = TimeUnit.NANOSECONDS.toMillis(HOUR_NS);
                return new Grant(lastGrant.incrementAndGet(), descriptor, links.link(extent), leaseMs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public long renew(Peer peer, long grantId) {
            return 0;
        }

        @Override
        public void released(Peer peer, long grantId) {}

        @Override
        public void reported(Peer peer, List<ReadReport> reports) {}

        @Override
        public void disconnected(Peer peer, boolean orderly) {}
    }
}
