package io.terrace.bench.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Message;
import io.terrace.channel.ReadReport;
import io.terrace.channel.RefusalReason;
import io.terrace.client.ClientFigures;
import io.terrace.metrics.Figure;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Whole scenarios on a secure cluster; the cases are listed in docs/reliability.md. */
class SecureClusterTest {
    private static final FsPermission PRIVATE = new FsPermission("600");

    /** At one time: with their neighbours fewer than one user may have connections. */
    private static final int BESIEGERS = 150;

    /** What a DataNode believes of one process; more where it said nothing for a while. */
    private static final double PLAUSIBLE_READS_PER_SECOND = 20e6;

    private static final int SAVED_SECONDS = 2;

    private static SecureCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = SecureCluster.start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static byte[] contents(int seed) {
        byte[] contents = new byte[300_000];
        new Random(seed).nextBytes(contents);
        return contents;
    }

    private static byte[] read(FileSystem files, Path file) throws IOException {
        try (FSDataInputStream in = files.open(file)) {
            return in.readAllBytes();
        }
    }

    @Test
    void read_byItsOwner_comesFromMemory_andNothingOfItGoesThroughAnUnprotectedPort() throws Exception {
        byte[] contents = contents(1);
        Path file = cluster.write("alice", "report", contents);
        long before = ClientFigures.value(Figure.CLIENT_GRANTED_SHM_BYTES);
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(cluster.<byte[]>with("alice", files -> read(files, file)))
                    .isEqualTo(contents);
            assertThat(ClientFigures.value(Figure.CLIENT_GRANTED_SHM_BYTES)).isGreaterThan(before);
        });
        int tcp = cluster.datanode().getXferPort() + SecureCluster.TCP_OFFSET;
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), tcp).close())
                .as("the tcp channel does not encrypt, so it is not served")
                .isInstanceOf(IOException.class);
    }

    @Test
    void read_fromAnotherHost_isStocks_whichEncrypts() throws Exception {
        byte[] contents = contents(10);
        Path file = cluster.write("alice", "far", contents);
        long remotely = ClientFigures.value(Figure.CLIENT_REMOTE_BYTES);
        long here = granted();
        long steppedAside = ClientFigures.value(Figure.CLIENT_REMOTE_ENCRYPTED);
        assertThat(cluster.<byte[]>fromElsewhere("alice", files -> read(files, file)))
                .isEqualTo(contents);
        assertThat(ClientFigures.value(Figure.CLIENT_REMOTE_ENCRYPTED)).isEqualTo(steppedAside + 1);
        assertThat(ClientFigures.value(Figure.CLIENT_REMOTE_BYTES)).isEqualTo(remotely);
        assertThat(granted()).isEqualTo(here);
    }

    /** Of what a client says that it read, no more is believed than a process can read, and only of what it was granted. */
    @Test
    void report_ofReadsThatCannotBe_heatsNothingBeyondWhatItsSenderMayRead() throws Exception {
        LocatedBlock granted = cluster.located(cluster.write("alice", "claimed", contents(11)));
        LocatedBlock other = cluster.located(cluster.write("bob", "cold", contents(12)));
        cluster.awaitNoGrants();
        try (HostileClient liar = cluster.hostile();
                HostileClient holder = cluster.hostile()) {
            long ofLiar = grantId(liar, granted);
            long ofOther = grantId(holder, other);
            long believed = cluster.figure(Figure.READS_GRANTED);
            long rejected = cluster.figure(Figure.READS_GRANTED_REJECTED);
            long startNs = System.nanoTime();
            liar.say(new Message.Report(List.of(new ReadReport(ofOther, 1000, 1000))));
            liar.say(new Message.Report(List.of(new ReadReport(ofOther + 1_000_000, 1000, 1000))));
            for (int i = 0; i < 10; i++) {
                liar.say(new Message.Report(List.of(new ReadReport(ofLiar, Long.MAX_VALUE, Long.MAX_VALUE))));
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.figure(Figure.READS_GRANTED_REJECTED) - rejected == 12);
            double seconds = SAVED_SECONDS + (System.nanoTime() - startNs) / 1e9;
            assertThat((double) cluster.figure(Figure.READS_GRANTED) - believed)
                    .isPositive()
                    .isLessThanOrEqualTo(seconds * PLAUSIBLE_READS_PER_SECOND);
        }
        long claimedId = granted.getBlock().getBlockId();
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> top("alice").stream()
                .anyMatch(hot -> hot.getBlock().getBlockId() == claimedId));
        long otherId = other.getBlock().getBlockId();
        assertThat(top("bob").stream().filter(hot -> hot.getBlock().getBlockId() == otherId))
                .as("told of before, by who was not granted it")
                .allSatisfy(cold -> assertThat(cold.getReads()).isZero());
    }

    private static long grantId(HostileClient client, LocatedBlock located) throws IOException {
        Message answer = client.ask(SecureCluster.key(located), SecureCluster.bytes(located.getBlockToken()));
        return ((Message.Granted) answer).grant().grantId();
    }

    private static long granted() {
        return ClientFigures.value(Figure.CLIENT_GRANTED_SHM_BYTES);
    }

    @Test
    void open_afterChmod_isRefused_thoughWhatIsOpenIsReadThroughItsGrant() throws Exception {
        byte[] contents = contents(2);
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
        byte[] contents = contents(9);
        Path file = cluster.write("alice", "kept", contents);
        LocatedBlock located = cluster.located(file);
        cluster.awaitNoGrants();
        Duration lifetime = SecureCluster.LEASE.plusSeconds(4);
        byte[] token = cluster.tokenFor("alice", located, lifetime);
        try (HostileClient keeper = cluster.hostile()) {
            Message.Granted granted = (Message.Granted) keeper.ask(SecureCluster.key(located), token);
            long grantId = granted.grant().grantId();
            try (FileChannel kept = keeper.open(granted.grant())) {
                assertThat(cluster.figure(Figure.MEMORY_GRANTS)).isEqualTo(1);
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
    void grant_withoutATokenToReadThisBlock_isRefused() throws Exception {
        LocatedBlock hers = cluster.located(cluster.write("alice", "hers", contents(3)));
        LocatedBlock his = cluster.located(cluster.write("bob", "his", contents(4)));
        BlockKey key = SecureCluster.key(hers);
        Token<?> toWrite = cluster.secrets()
                .generateToken("bob", hers.getBlock(), EnumSet.of(AccessMode.WRITE), new StorageType[0], new String[0]);
        byte[] forged = SecureCluster.bytes(hers.getBlockToken());
        forged[forged.length / 2] ^= 1;
        try (HostileClient bob = cluster.hostile()) {
            for (byte[] token : List.of(
                    new byte[0],
                    SecureCluster.bytes(his.getBlockToken()),
                    SecureCluster.bytes(toWrite),
                    forged,
                    MutatedRequests.OF_TWO_GIGABYTES)) {
                assertThat(bob.ask(key, token)).isInstanceOfSatisfying(Message.Refused.class, refused -> assertThat(
                                refused.refusal().reason())
                        .isEqualTo(RefusalReason.BAD_TOKEN));
            }
            assertThat(bob.ask(key, SecureCluster.bytes(hers.getBlockToken()))).isInstanceOf(Message.Granted.class);
        }
    }

    @Test
    void bytes_ofADeletedFile_areGoneAfterLeaseAndDeadline_evenForWhoKeepsThemOpen() throws Exception {
        Path file = cluster.write("alice", "deleted", contents(5));
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
    void grants_inAFlood_areBounded_andOthersAreServed() throws Exception {
        LocatedBlock located = cluster.located(cluster.write("alice", "flooded", contents(6)));
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        try (HostileClient greedy = cluster.hostile();
                HostileClient modest = cluster.hostile()) {
            int granted = 0;
            for (int i = 0; i < 50; i++) {
                granted += greedy.ask(SecureCluster.key(located), token) instanceof Message.Granted ? 1 : 0;
            }
            assertThat(granted).isEqualTo(SecureCluster.GRANTS_PER_PEER);
            assertThat(modest.ask(SecureCluster.key(located), token)).isInstanceOf(Message.Granted.class);
        }
    }

    @Test
    void grants_ofOneUserOverManyConnections_leaveAsManyForOthers() throws Exception {
        LocatedBlock located = cluster.located(cluster.write("alice", "hoarded", contents(10)));
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        cluster.awaitNoGrants();
        List<HostileClient> greedy = new ArrayList<>();
        int granted = 0;
        try {
            for (int i = 0; i < 2 * SecureCluster.GRANTS / SecureCluster.GRANTS_PER_PEER; i++) {
                HostileClient one = cluster.hostile();
                greedy.add(one);
                for (int j = 0; j < SecureCluster.GRANTS_PER_PEER; j++) {
                    granted += one.ask(SecureCluster.key(located), token) instanceof Message.Granted ? 1 : 0;
                }
            }
            assertThat(granted).isEqualTo(SecureCluster.GRANTS / 2);
        } finally {
            for (HostileClient one : greedy) {
                one.close();
            }
        }
        cluster.awaitNoGrants();
    }

    @Test
    void mutatedMessages_costTheirSenderTheConnectionAndItsGrants_andOthersAreServed() throws Exception {
        LocatedBlock located = cluster.located(cluster.write("alice", "besieged", contents(8)));
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        long seed = System.nanoTime();
        Random random = new Random(seed);
        cluster.awaitNoGrants();
        long connections = cluster.figure(Figure.CHANNEL_CONNECTIONS);
        long cut = cluster.figure(Figure.CHANNEL_PEERS_CUT);
        long grants = cluster.figure(Figure.CHANNEL_GRANTS);
        int toBeCut = 0;
        try (HostileClient good = cluster.hostile()) {
            for (int round = 0; round < 2; round++) {
                toBeCut += besiege(located, token, random, "seed " + seed);
                await("seed " + seed)
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> good.ask(SecureCluster.key(located), token) instanceof Message.Granted);
            }
        }
        assertThat(cluster.figure(Figure.CHANNEL_GRANTS) - grants).isGreaterThan(SecureCluster.GRANTS_PER_PEER);
        assertThat(cluster.figure(Figure.CHANNEL_PEERS_CUT) - cut)
                .as("seed %d", seed)
                .isGreaterThanOrEqualTo(toBeCut);
        cluster.awaitNoGrants();
        await("seed " + seed).atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(
                        cluster.figure(Figure.CHANNEL_CONNECTIONS))
                .isLessThanOrEqualTo(connections));
    }

    /**
     * Many clients with a grant that then send mutated requests, and hang up only after the DataNode had to.
     *
     * @return how many had to be cut
     */
    private static int besiege(LocatedBlock located, byte[] token, Random random, String seed) throws IOException {
        List<HostileClient> cut = new ArrayList<>();
        List<HostileClient> served = new ArrayList<>();
        try {
            for (int i = 0; i < BESIEGERS; i++) {
                byte[] said = MutatedRequests.next(SecureCluster.key(located), token, random);
                HostileClient bad = cluster.hostile();
                (MutatedRequests.areAllValid(said) ? served : cut).add(bad);
                bad.ask(SecureCluster.key(located), token);
                bad.sayBytes(said);
            }
            long deadlineNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            assertThat(cut).as(seed).isNotEmpty().allMatch(bad -> bad.isCutBy(deadlineNs));
            // What is a message costs no connection, whatever it asks for.
            for (HostileClient bad : served) {
                assertThat(bad.ask(SecureCluster.key(located), MutatedRequests.OF_TWO_GIGABYTES))
                        .as(seed)
                        .isInstanceOf(Message.Refused.class);
            }
            return cut.size();
        } finally {
            for (HostileClient bad : cut) {
                bad.close();
            }
            for (HostileClient bad : served) {
                bad.close();
            }
        }
    }

    @Test
    void placementctl_showsFilesToThoseWhoMayReadThem_andChangesForAdminsOnly() throws Exception {
        Path file = cluster.write("alice", "private", contents(7));
        cluster.with("alice", files -> {
            files.setPermission(file, PRIVATE);
            return read(files, file);
        });
        long blockId = cluster.located(file).getBlock().getBlockId();
        ExplainRequestProto explain =
                ExplainRequestProto.newBuilder().setTarget(file.toString()).build();
        assertThat(cluster.as("alice", proxy -> proxy.explain(null, explain)).getPath())
                .isEqualTo(file.toString());
        assertThat(refusal("bob", file.toString())).contains("ermission denied");
        long madeUp = blockId + 1_000_000;
        assertThat(refusal("bob", "blk_" + blockId))
                .as("nothing tells a block that he may not read from one that never was")
                .isEqualTo(refusal("bob", "blk_" + madeUp).replace(Long.toString(madeUp), Long.toString(blockId)))
                .doesNotContain(file.getName(), "alice");
        await().atMost(Duration.ofSeconds(10)).ignoreExceptions().untilAsserted(() -> assertThat(top("alice"))
                .anySatisfy(hot -> {
                    assertThat(hot.getBlock().getBlockId()).isEqualTo(blockId);
                    assertThat(hot.getPath()).isEqualTo(file.toString());
                }));
        assertThat(top("bob"))
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

    private static List<HotBlockProto> top(String user) throws Exception {
        return cluster.as(
                        user,
                        proxy -> proxy.top(
                                null,
                                TopRequestProto.newBuilder().setCount(1000).build()))
                .getBlocksList();
    }
}
