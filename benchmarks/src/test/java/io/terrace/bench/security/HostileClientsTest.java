package io.terrace.bench.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.RefusalReason;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that keep no rule, on a secure cluster: what they get, cost and spoil. The cases: docs/reliability.md. */
@Tag("cluster")
class HostileClientsTest {
    /** At one time: with their neighbours fewer than one user may have connections. */
    private static final int HOSTILE_CLIENTS = 150;

    /** What a DataNode believes of one process; more where it said nothing for a while. */
    private static final double PLAUSIBLE_READS_PER_SECOND = 20e6;

    private static final int SAVED_SECONDS = 2;

    /** What one connection may cost in heap and buffers: the longest message twice, once as it comes in. */
    private static final long CONNECTION_BYTES = 2 * MessageCodec.MAX_FRAME_BYTES;

    /** What else a cluster in this process may come to hold meanwhile; less than all of them hold by their messages. */
    private static final long OTHER_BYTES = 8L << 20;

    /** With those of its client, which is in this process as well. */
    private static final long CONNECTION_DESCRIPTORS = 5;

    private static final long OTHER_DESCRIPTORS = 40;

    @AutoClose
    private static SecureCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = SecureCluster.start();
    }

    private static LocatedBlock written(String owner, String name) throws Exception {
        return cluster.located(cluster.write(owner, name, SecureCluster.contents(name.hashCode())));
    }

    @Test
    void grant_withoutATokenToReadThisBlock_isRefused() throws Exception {
        LocatedBlock hers = written("alice", "hers");
        LocatedBlock his = written("bob", "his");
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

    /** Of what a client says that it read, no more is believed than a process can read, and only of what it was granted. */
    @Test
    void report_ofReadsThatCannotBe_heatsNothingBeyondWhatItsSenderMayRead() throws Exception {
        LocatedBlock granted = written("alice", "claimed");
        LocatedBlock other = written("bob", "cold");
        cluster.awaitNoGrants();
        try (HostileClient liar = cluster.hostile();
                HostileClient holder = cluster.hostile()) {
            long ofLiar = grantId(liar, granted);
            long ofOther = grantId(holder, other);
            long believed = cluster.figure(Metric.READS_GRANTED);
            long rejected = cluster.figure(Metric.READS_GRANTED_REJECTED);
            long startNs = System.nanoTime();
            liar.say(new Message.Report(List.of(new ReadReport(ofOther, 1000, 1000))));
            liar.say(new Message.Report(List.of(new ReadReport(ofOther + 1_000_000, 1000, 1000))));
            for (int i = 0; i < 10; i++) {
                liar.say(new Message.Report(List.of(new ReadReport(ofLiar, Long.MAX_VALUE, Long.MAX_VALUE))));
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.figure(Metric.READS_GRANTED_REJECTED) - rejected == 12);
            double seconds = SAVED_SECONDS + (System.nanoTime() - startNs) / 1e9;
            assertThat((double) cluster.figure(Metric.READS_GRANTED) - believed)
                    .isPositive()
                    .isLessThanOrEqualTo(seconds * PLAUSIBLE_READS_PER_SECOND);
        }
        long claimedId = granted.getBlock().getBlockId();
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> cluster.top("alice").stream()
                .anyMatch(hot -> hot.getBlock().getBlockId() == claimedId));
        long otherId = other.getBlock().getBlockId();
        assertThat(cluster.top("bob").stream().filter(hot -> hot.getBlock().getBlockId() == otherId))
                .as("told of before, by who was not granted it")
                .allSatisfy(cold -> assertThat(cold.getReads()).isZero());
    }

    private static long grantId(HostileClient client, LocatedBlock located) throws IOException {
        Message answer = client.ask(SecureCluster.key(located), SecureCluster.bytes(located.getBlockToken()));
        return ((Message.Granted) answer).grant().grantId();
    }

    /** Each announces the longest message that there may be, says all of it but the last byte, and waits. */
    @Test
    void connections_heldOpenWithinAMessage_costNoMoreThanIt_andNothingOnceTheyAreGone() throws Exception {
        LocatedBlock located = written("alice", "beleaguered");
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        ByteBuffer unended = ByteBuffer.allocate(Integer.BYTES + MessageCodec.MAX_FRAME_BYTES - 1);
        unended.putInt(MessageCodec.MAX_FRAME_BYTES);
        cluster.awaitNoGrants();
        Footprint before = Footprint.ofThisProcess();
        List<HostileClient> holders = new ArrayList<>();
        try (HostileClient good = cluster.hostile()) {
            for (int i = 0; i < HOSTILE_CLIENTS; i++) {
                HostileClient holder = cluster.hostile();
                holders.add(holder);
                holder.sayBytes(unended.array());
            }
            assertThat(good.ask(SecureCluster.key(located), token)).isInstanceOf(Message.Granted.class);
            assertThat(Footprint.ofThisProcess().less(before)).satisfies(held -> {
                assertThat(held.bytes()).isLessThan(HOSTILE_CLIENTS * CONNECTION_BYTES + OTHER_BYTES);
                assertThat(held.descriptors()).isLessThan(HOSTILE_CLIENTS * CONNECTION_DESCRIPTORS + OTHER_DESCRIPTORS);
            });
        } finally {
            for (HostileClient holder : holders) {
                holder.close();
            }
        }
        awaitAsBefore(before, "");
    }

    /** Whatever they cost, connections that are gone cost nothing any more. */
    private static void awaitAsBefore(Footprint before, String seed) {
        cluster.awaitNoGrants();
        await(seed).atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(
                        Footprint.ofThisProcess().less(before))
                .satisfies(left -> {
                    assertThat(left.bytes()).isLessThan(OTHER_BYTES);
                    assertThat(left.descriptors()).isLessThan(OTHER_DESCRIPTORS);
                }));
    }

    @Test
    void grants_inAFlood_areBounded_andOthersAreServed() throws Exception {
        LocatedBlock located = written("alice", "flooded");
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
        LocatedBlock located = written("alice", "hoarded");
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
        LocatedBlock located = written("alice", "attacked");
        byte[] token = SecureCluster.bytes(located.getBlockToken());
        long seed = System.nanoTime();
        Random random = new Random(seed);
        cluster.awaitNoGrants();
        long connections = cluster.figure(Metric.CHANNEL_CONNECTIONS);
        long cut = cluster.figure(Metric.CHANNEL_PEERS_CUT);
        long grants = cluster.figure(Metric.CHANNEL_GRANTS);
        Footprint before = Footprint.ofThisProcess();
        int toBeCut = 0;
        try (HostileClient good = cluster.hostile()) {
            for (int round = 0; round < 2; round++) {
                toBeCut += attack(located, token, random, "seed " + seed);
                await("seed " + seed)
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> good.ask(SecureCluster.key(located), token) instanceof Message.Granted);
            }
        }
        assertThat(cluster.figure(Metric.CHANNEL_GRANTS) - grants).isGreaterThan(SecureCluster.GRANTS_PER_PEER);
        assertThat(cluster.figure(Metric.CHANNEL_PEERS_CUT) - cut)
                .as("seed %d", seed)
                .isGreaterThanOrEqualTo(toBeCut);
        awaitAsBefore(before, "seed " + seed);
        await("seed " + seed).atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(
                        cluster.figure(Metric.CHANNEL_CONNECTIONS))
                .isLessThanOrEqualTo(connections));
    }

    /**
     * Many clients with a grant that then send mutated requests, and hang up only after the DataNode had to.
     *
     * @return how many had to be cut
     */
    private static int attack(LocatedBlock located, byte[] token, Random random, String seed) throws IOException {
        List<HostileClient> cut = new ArrayList<>();
        List<HostileClient> served = new ArrayList<>();
        try {
            for (int i = 0; i < HOSTILE_CLIENTS; i++) {
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
}
