package io.terrace.bench.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.Message;
import io.terrace.channel.RefusalReason;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole scenarios on a secure cluster; the cases are listed in docs/reliability.md. */
@Tag("cluster")
class SecureClusterTest {
    private static final FsPermission PRIVATE = new FsPermission("600");

    @AutoClose
    private static SecureCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = SecureCluster.start();
    }

    private static byte[] read(FileSystem files, Path file) throws IOException {
        try (FSDataInputStream in = files.open(file)) {
            return in.readAllBytes();
        }
    }

    @Test
    void read_byItsOwner_comesFromMemory_andNothingOfItGoesThroughAnUnprotectedPort() throws Exception {
        byte[] contents = SecureCluster.contents(1);
        Path file = cluster.write("alice", "report", contents);
        long before = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(cluster.<byte[]>with("alice", files -> read(files, file)))
                    .isEqualTo(contents);
            assertThat(ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES)).isGreaterThan(before);
        });
        int tcp = cluster.datanode().getXferPort() + SecureCluster.TCP_OFFSET;
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), tcp).close())
                .as("the tcp channel does not encrypt, so it is not served")
                .isInstanceOf(IOException.class);
    }

    @Test
    void read_fromAnotherHost_isStocks_whichEncrypts() throws Exception {
        byte[] contents = SecureCluster.contents(10);
        Path file = cluster.write("alice", "far", contents);
        long remotely = ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES);
        long here = granted();
        long steppedAside = ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED);
        assertThat(cluster.<byte[]>fromElsewhere("alice", files -> read(files, file)))
                .isEqualTo(contents);
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED)).isEqualTo(steppedAside + 1);
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES)).isEqualTo(remotely);
        assertThat(granted()).isEqualTo(here);
    }

    private static long granted() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
    }

    @Test
    void open_afterChmod_isRefused_thoughWhatIsOpenIsReadThroughItsGrant() throws Exception {
        byte[] contents = SecureCluster.contents(2);
        Path file = cluster.write("alice", "shared", contents);
        cluster.with("bob", files -> {
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                long before = granted();
                assertThat(read(files, file)).isEqualTo(contents);
                return granted() - before >= contents.length;
            });
            try (FSDataInputStream open = files.open(file)) {
                long before = granted();
                assertThat(open.read()).isEqualTo(contents[0] & 0xff);
                assertThat(granted()).isGreaterThan(before);
                cluster.with("alice", hers -> {
                    hers.setPermission(file, PRIVATE);
                    return true;
                });
                assertThatThrownBy(() -> files.open(file)).isInstanceOf(AccessControlException.class);
                // As in stock HDFS: what is open stays readable until its block token ends.
                long afterwards = granted();
                open.seek(100_000);
                assertThat(open.read()).isEqualTo(contents[100_000] & 0xff);
                assertThat(granted()).isGreaterThan(afterwards);
            }
            return true;
        });
    }

    @Test
    void grant_endsWithItsToken_howeverOftenItIsRenewed_andADescriptorThatIsKeptWithTheCopy() throws Exception {
        byte[] contents = SecureCluster.contents(9);
        Path file = cluster.write("alice", "kept", contents);
        LocatedBlock located = cluster.located(file);
        cluster.awaitNoGrants();
        Duration lifetime = SecureCluster.LEASE.plusSeconds(4);
        byte[] token = cluster.tokenFor("alice", located, lifetime);
        try (HostileClient keeper = cluster.hostile()) {
            Message.Granted granted = (Message.Granted) keeper.ask(SecureCluster.key(located), token);
            long grantId = granted.grant().grantId();
            try (FileChannel kept = keeper.open(granted.grant())) {
                assertThat(cluster.figure(Metric.MEMORY_GRANTS)).isEqualTo(1);
                await().atMost(lifetime.plusSeconds(20)).until(() -> keeper.renew(grantId) == 0);
                assertThat(keeper.ask(SecureCluster.key(located), token))
                        .isInstanceOfSatisfying(Message.Refused.class, refused -> assertThat(
                                        refused.refusal().reason())
                                .isEqualTo(RefusalReason.EXPIRED_TOKEN));
                cluster.awaitNoGrants();
                // As stock's short-circuit readers: whoever kept the descriptor has the bytes while they are there.
                ByteBuffer bytes = ByteBuffer.allocate(1000);
                assertThat(kept.read(bytes, 50_000)).isEqualTo(1000);
                assertThat(bytes.array()).isEqualTo(Arrays.copyOfRange(contents, 50_000, 51_000));
                cluster.with("alice", files -> files.delete(file, false));
                await().atMost(Duration.ofSeconds(20)).until(() -> kept.read(ByteBuffer.allocate(1000), 0) < 0);
                assertThat(kept.size()).isZero();
            }
        }
    }

    @Test
    void bytes_ofADeletedFile_areGoneAfterLeaseAndDeadline_evenForWhoKeepsThemOpen() throws Exception {
        Path file = cluster.write("alice", "deleted", SecureCluster.contents(5));
        LocatedBlock located = cluster.located(file);
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        try (HostileClient keeper = cluster.hostile()) {
            Message.Granted granted = (Message.Granted) keeper.ask(SecureCluster.key(located), token);
            try (FileChannel kept = keeper.open(granted.grant())) {
                assertThat(kept.read(ByteBuffer.allocate(1000), 0)).isEqualTo(1000);
                cluster.with("alice", files -> files.delete(file, false));
                // The DataNode hears of a deletion with a heartbeat, once a second here, as for stock.
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> keeper.ask(SecureCluster.key(located), token) instanceof Message.Refused);
                Duration longest =
                        SecureCluster.LEASE.plus(SecureCluster.DEADLINE).plusSeconds(2);
                await().atMost(longest).until(() -> kept.read(ByteBuffer.allocate(1000), 0) < 0);
            }
        }
    }

    @Test
    void placementctl_showsFilesToThoseWhoMayReadThem_andChangesForAdminsOnly() throws Exception {
        Path file = cluster.write("alice", "private", SecureCluster.contents(7));
        cluster.with("alice", files -> {
            files.setPermission(file, PRIVATE);
            return read(files, file);
        });
        long blockId = cluster.located(file).getBlock().getBlockId();
        ExplainRequestProto explain =
                ExplainRequestProto.newBuilder().setTarget(file.toString()).build();
        assertThat(cluster.as("alice", proxy -> proxy.explain(null, explain)).getPath())
                .isEqualTo(file.toString());
        assertThat(refusal("bob", file.toString()))
                .as("nothing tells a file that he may not read from one that is missing")
                .isEqualTo(refusal("bob", file + "x").replace(file + "x", file.toString()));
        long madeUp = blockId + 1_000_000;
        assertThat(refusal("bob", "blk_" + blockId))
                .as("nothing tells a block that he may not read from one that never was")
                .isEqualTo(refusal("bob", "blk_" + madeUp).replace(Long.toString(madeUp), Long.toString(blockId)))
                .doesNotContain(file.getName(), "alice");
        await().atMost(Duration.ofSeconds(10)).ignoreExceptions().untilAsserted(() -> assertThat(cluster.top("alice"))
                .anySatisfy(hot -> {
                    assertThat(hot.getBlock().getBlockId()).isEqualTo(blockId);
                    assertThat(hot.getPath()).isEqualTo(file.toString());
                }));
        assertThat(cluster.top("bob"))
                .noneMatch(hot -> hot.getBlock().getBlockId() == blockId)
                .anySatisfy(hot -> assertThat(hot)
                        .as("nothing of it but heat and tier")
                        .isEqualTo(HotBlockProto.newBuilder()
                                .setHeat(hot.getHeat())
                                .setInMemory(hot.getInMemory())
                                .build()));

        for (VerbProto verb : VerbProto.values()) {
            ChangeRequestProto change = ChangeRequestProto.newBuilder()
                    .setVerb(verb)
                    .setTarget(file.toString())
                    .build();
            for (String user : List.of("bob", "alice")) {
                assertThatThrownBy(() -> cluster.as(user, proxy -> proxy.change(null, change)))
                        .as("%s by %s", verb, user)
                        .hasMessageContaining(user + " may not change placement");
            }
        }
        for (VerbProto verb : List.of(VerbProto.PAUSE, VerbProto.RESUME)) {
            ChangeResponseProto done = cluster.as(
                    SecureCluster.ADMIN,
                    proxy -> proxy.change(
                            null, ChangeRequestProto.newBuilder().setVerb(verb).build()));
            assertThat(done.getAccepted()).isEqualTo(1);
        }
    }

    /** The first line of what a user is told who asks for what he may not know; the rest is a stack trace. */
    private static String refusal(String user, String target) {
        ExplainRequestProto request =
                ExplainRequestProto.newBuilder().setTarget(target).build();
        Throwable refusal =
                catchThrowableOfType(IOException.class, () -> cluster.as(user, proxy -> proxy.explain(null, request)));
        return refusal.getMessage().lines().findFirst().orElseThrow();
    }
}
