package io.terrace.client;

import io.terrace.channel.FakeDataNode;
import io.terrace.channel.server.GrantLimits;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fake DataNodes sharing a channel directory, and readers built as the HDFS client builds them. */
final class AccessorFixture implements BeforeEachCallback, AfterEachCallback {
    static final String POOL = "BP-1-127.0.0.1-1";
    static final GrantLimits LIMITS = new GrantLimits(64, 64, 2, 2_000, 60_000, 2_000);

    final Configuration conf = new Configuration(false);
    Path dir;
    Path channel;
    Path memory;
    FakeDataNode node;
    private final List<FakeDataNode> nodes = new ArrayList<>();

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        dir = Files.createTempDirectory("accessor");
        channel = Files.createDirectory(dir.resolve("channel"));
        memory = dir.resolve("memory");
        conf.set("terrace.channel.dir", channel.toString());
        conf.set("terrace.client.report.interval", "50ms");
        conf.set("terrace.client.connect.pause", "50ms");
        conf.set("terrace.client.grant.timeout", "20s");
        node = addNode("dn-1");
    }

    FakeDataNode addNode(String uuid) throws IOException {
        FakeDataNode added = new FakeDataNode(channel, memory, uuid, LIMITS);
        nodes.add(added);
        return added;
    }

    static BlockKey block(long id) {
        return new BlockKey(POOL, id, 1000 + id);
    }

    static byte[] content(long id, int length) {
        byte[] bytes = new byte[length];
        new Random(id).nextBytes(bytes);
        return bytes;
    }

    @Nullable
    ReplicaAccessor build(long id, long visibleLength) {
        return build(id, visibleLength, new byte[] {1, 2, 3}, true);
    }

    @Nullable
    ReplicaAccessor build(long id, long visibleLength, byte[] token, boolean allow) {
        return new TerraceAccessorBuilder()
                .setAllowShortCircuitReads(allow)
                .setBlock(id, POOL)
                .setGenerationStamp(1000 + id)
                .setBlockAccessToken(token)
                .setClientName(clientName())
                .setConfiguration(conf)
                .setFileName("/file")
                .setVerifyChecksum(true)
                .setVisibleLength(visibleLength)
                .build();
    }

    /** As Hadoop does it: a client, and so its name, belongs to one user. */
    private static String clientName() {
        try {
            return "DFSClient_of_" + UserGroupInformation.getCurrentUser().getUserName();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How far a figure moves. */
    static long moved(Metric metric, Step step) throws Exception {
        long before = ClientMetrics.value(metric);
        step.run();
        return ClientMetrics.value(metric) - before;
    }

    interface Step {
        void run() throws Exception;
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        LocalDataNodes.closeAll();
        for (FakeDataNode each : nodes) {
            each.close();
        }
        FileUtil.fullyDelete(dir.toFile());
    }
}
