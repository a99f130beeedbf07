package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.FakeDataNode;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.LoggedLines;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.RawClient;
import io.terrace.channel.ReadReport;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantServerTest {
    private static final GrantLimits SHORT = new GrantLimits(64, 8, 4, 300, 60_000, 400);
    private static final BlockKey BLOCK = new BlockKey("BP-1", 7, 1007);

    @TempDir
    Path dir;

    private FakeDataNode node;

    @BeforeEach
    void start() throws IOException {
        node = new FakeDataNode(Files.createDirectory(dir.resolve("channel")), dir.resolve("memory"), "dn-1", SHORT);
        node.put(BLOCK, "the bytes of the block".getBytes());
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
    }

    private RawClient client() throws IOException {
        return new RawClient(node.server().socket());
    }

    @Test
    void ask_ofResidentBlock_givesALinkThatIsGoneOnceOpened() throws IOException {
        try (RawClient client = client()) {
            Message.Welcome welcome = client.hello("test");
            assertThat(welcome.incarnation()).isEqualTo(node.table().incarnation());
            Message.Granted granted = (Message.Granted) client.ask(11, BLOCK);
            assertThat(granted.requestId()).isEqualTo(11);
            Path link = Path.of(welcome.links()).resolve(granted.grant().linkName());
            assertThat(link).hasContent("the bytes of the block");
            client.say(new Message.Opened(granted.grant().grantId()));
            await().until(() -> Files.notExists(link));
        }
        assertThat(node.users).containsExactly(System.getProperty("user.name"));
    }

    @Test
    void peerUser_seenByTheClient_isTheServersUser() throws IOException {
        try (RawClient client = client()) {
            assertThat(client.peerUser())
                    .isEqualTo(SocketDirectory.ownerOf(node.server().socket()).getName());
        }
    }

    @Test
    void link_notOpenedInTime_isRemovedAndCounted() throws IOException {
        try (RawClient client = client()) {
            client.hello("slow");
            Message.Granted granted = (Message.Granted) client.ask(1, BLOCK);
            Path link = node.links().resolve(granted.grant().linkName());
            assertThat(link).exists();
            await().until(() -> Files.notExists(link));
            assertThat(node.metricRegistry.value(Metric.CHANNEL_LINKS_EXPIRED)).isEqualTo(1);
        }
    }

    @Test
    void ask_ofAbsentBlock_isRefusedWithItsReason() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            Message.Refused refused = (Message.Refused) client.ask(2, new BlockKey("BP-1", 8, 1008));
            assertThat(refused.refusal().reason()).isEqualTo(RefusalReason.NOT_RESIDENT);
        }
    }

    @Test
    void revoke_isSentToTheHolder_andItsAnswerFreesTheExtent() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            Grant grant = ((Message.Granted) client.ask(1, BLOCK)).grant();
            node.retire(BLOCK);
            Message.Revoke revoke = (Message.Revoke) client.hear();
            assertThat(revoke.grantId()).isEqualTo(grant.grantId());
            assertThat(node.files()).isEqualTo(1);
            client.say(new Message.Revoked(grant.grantId()));
            await().until(() -> node.files() == 0);
            assertThat(node.held()).isZero();
        }
    }

    @Test
    void disconnect_withoutGoodbye_endsTheGrantsAndIsLost() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            client.ask(1, BLOCK);
            assertThat(node.held()).isEqualTo(1);
        }
        await().until(() -> node.ends.contains("lost"));
        assertThat(node.held()).isZero();
        assertThat(node.metricRegistry.value(Metric.CHANNEL_PEERS_LOST)).isEqualTo(1);
        try (var links = Files.list(node.links())) {
            assertThat(links).isEmpty();
        }
    }

    @Test
    void goodbye_afterReports_isOrderlyAndKeepsTheirOrder() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            long grantId = ((Message.Granted) client.ask(1, BLOCK)).grant().grantId();
            for (int i = 0; i < 50; i++) {
                client.say(new Message.Report(List.of(new ReadReport(grantId, 2, 10))));
            }
            client.say(new Message.Goodbye());
            await().until(() -> node.ends.contains("orderly"));
        }
        assertThat(node.reportedBytes).hasValue(500);
        assertThat(node.reportedReads).hasValue(100);
        assertThat(node.held()).isZero();
    }

    @Test
    void renew_answersEachGrant() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            long grantId = ((Message.Granted) client.ask(1, BLOCK)).grant().grantId();
            client.say(new Message.Renew(List.of(grantId, 999L)));
            Message.Renewed renewed = (Message.Renewed) client.hear();
            assertThat(renewed.leases())
                    .containsExactly(new Message.Lease(grantId, node.leaseMs), new Message.Lease(999, 0));
        }
    }

    @Test
    void garbageSilenceAndHalfMessages_areCut_andOthersNeverNotice() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (RawClient good = client();
                RawClient noise = client();
                RawClient silent = client();
                RawClient half = client();
                RawClient huge = client();
                RawClient wrongWay = client()) {
            good.hello("good");
            byte[] bytes = new byte[500];
            random.nextBytes(bytes);
            bytes[0] = 0x55;
            noise.sayBytes(bytes);
            half.hello("half");
            half.sayBytes(new byte[] {0, 0, 1, 0, 1, 3});
            huge.hello("huge");
            huge.sayBytes(new byte[] {0x7f, -1, -1, -1});
            wrongWay.hello("wrong way");
            wrongWay.say(new Message.Revoke(1, 2, 3));
            for (RawClient bad : List.of(noise, silent, half, huge, wrongWay)) {
                assertThat(good.ask(1, BLOCK)).isInstanceOf(Message.Granted.class);
                assertThatThrownBy(bad::hear).as("seed %d", seed).isInstanceOf(IOException.class);
            }
            assertThat(node.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isEqualTo(5);
            assertThat(good.ask(2, BLOCK)).isInstanceOf(Message.Granted.class);
        }
    }

    @Test
    void peer_thatTakesNoAnswers_isCut() throws Exception {
        try (RawClient deaf = client();
                RawClient good = client()) {
            deaf.hello("deaf");
            good.hello("good");
            ByteBuffer asks = ByteBuffer.allocate(1 << 22);
            Message ask = new Message.Ask(1, new GrantRequest(new BlockKey("BP-1", 8, 1), new byte[0], false));
            while (asks.remaining() > 1000) {
                asks.put(MessageCodec.encode(ask));
            }
            byte[] flood = new byte[asks.position()];
            asks.flip().get(flood);
            // Whether the flood is taken whole or not, it must end with this client cut.
            try {
                deaf.sayBytes(flood);
            } catch (IOException e) {
                assertThat(e).isInstanceOf(IOException.class);
            }
            assertThat(good.ask(3, BLOCK)).isInstanceOf(Message.Granted.class);
            await().until(() -> node.ends.contains("lost"));
            assertThat(good.ask(4, BLOCK)).isInstanceOf(Message.Granted.class);
        }
    }

    @Test
    void thousandsOfMessagesInOneWrite_areAllTaken_andOthersHaveTheirTurn() throws Exception {
        try (RawClient busy = client();
                RawClient other = client()) {
            busy.hello("busy");
            other.hello("other");
            ByteBuffer said = ByteBuffer.allocate(1 << 17);
            for (int i = 0; i < 6500; i++) {
                said.put(MessageCodec.encode(new Message.Report(List.of())));
            }
            said.put(MessageCodec.encode(new Message.Ask(7, new GrantRequest(BLOCK, new byte[0], false))));
            byte[] bytes = new byte[said.position()];
            said.flip().get(bytes);
            busy.sayBytes(bytes);
            assertThat(other.ask(1, BLOCK)).isInstanceOf(Message.Granted.class);
            // Nothing comes after it that would make the server look again.
            assertThat(((Message.Granted) busy.hear()).requestId()).isEqualTo(7);
        }
        assertThat(node.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isZero();
    }

    @Test
    void peer_thatTakesItsAnswersLate_isHeardNoFurtherMeanwhile_andLosesNone() throws Exception {
        GrantLimits patient = new GrantLimits(8, 8, 2, 60_000, 60_000, 400);
        List<Long> ids =
                LongStream.rangeClosed(1, MessageCodec.MAX_LIST).boxed().toList();
        int renewals = 400;
        try (FakeDataNode slowly =
                        new FakeDataNode(dir.resolve("channel"), dir.resolve("memory of 2"), "dn-2", patient);
                RawClient late = new RawClient(slowly.server().socket())) {
            late.hello("late");
            AtomicInteger said = new AtomicInteger();
            Thread saying = new Thread(() -> {
                try {
                    while (said.get() < renewals) {
                        late.say(new Message.Renew(ids));
                        said.incrementAndGet();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            saying.start();
            // The answers are several times of what may wait for a client: it is not heard until it takes some.
            int[] before = {-1};
            await().pollInterval(Duration.ofMillis(300)).until(() -> {
                boolean stands = said.get() == before[0] && said.get() > 0;
                before[0] = said.get();
                return stands;
            });
            assertThat(said).hasValueLessThan(renewals);
            for (int i = 0; i < renewals; i++) {
                assertThat(late.hear()).isInstanceOf(Message.Renewed.class);
            }
            saying.join();
            assertThat(slowly.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isZero();
        }
    }

    @Test
    void connection_beyondTheLimit_isRefused_untilOneEnds() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < SHORT.connectionsPerUser(); i++) {
            RawClient client = client();
            client.hello("client " + i);
            clients.add(client);
        }
        try (RawClient tooMany = client()) {
            assertThatThrownBy(() -> tooMany.hello("too many")).isInstanceOf(IOException.class);
        }
        assertThat(node.metricRegistry.value(Metric.CHANNEL_CONNECTIONS_REFUSED))
                .isEqualTo(1);
        clients.remove(0).close();
        await().until(() -> node.metricRegistry.value(Metric.CHANNEL_CONNECTIONS) == SHORT.connectionsPerUser() - 1);
        try (RawClient next = client()) {
            next.hello("next");
        }
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void owner_thatIsSlow_delaysItsOwnClientOnly() throws Exception {
        try (RawClient slow = client();
                RawClient other = client()) {
            slow.hello("slow");
            other.hello("other");
            node.grantDelayMs = 500;
            slow.say(new Message.Ask(1, new GrantRequest(BLOCK, new byte[0], false)));
            Thread.sleep(50);
            node.grantDelayMs = 0;
            assertThat(other.ask(2, BLOCK)).isInstanceOf(Message.Granted.class);
            assertThat(slow.hear()).isInstanceOf(Message.Granted.class);
        }
    }

    @Test
    void owner_thatFailsWithAnError_costsTheCallAndNotThePlace() throws Exception {
        try (RawClient client = client();
                RawClient other = client()) {
            client.hello("unlucky");
            other.hello("other");
            node.grantsFail = true;
            assertThat(client.ask(1, BLOCK)).isInstanceOf(Message.Refused.class);
            assertThat(client.ask(2, BLOCK)).isInstanceOf(Message.Granted.class);
            assertThat(other.ask(1, BLOCK)).isInstanceOf(Message.Granted.class);
        }
        await().until(() -> node.metricRegistry.value(Metric.CHANNEL_CONNECTIONS) == 0);
    }

    @Test
    void start_underANameInUse_isRefused_andOverALeftoverIsNot() throws IOException {
        assertThatThrownBy(() -> new FakeDataNode(dir.resolve("channel"), dir.resolve("memory2"), "dn-1", SHORT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another process");
        Path leftover = dir.resolve("channel").resolve("dn-2.sock");
        try (var listener = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            listener.bind(java.net.UnixDomainSocketAddress.of(leftover));
        }
        assertThat(leftover).exists();
        try (FakeDataNode second = new FakeDataNode(dir.resolve("channel"), dir.resolve("memory3"), "dn-2", SHORT);
                RawClient client = new RawClient(second.server().socket())) {
            client.hello("test");
        }
        assertThat(leftover).doesNotExist();
    }

    @Test
    void close_endsSessionsAndTellsTheOwner() throws IOException {
        try (RawClient client = client()) {
            client.hello("test");
            client.ask(1, BLOCK);
            node.close();
            assertThat(node.ends).containsExactly("lost");
            assertThat(node.held()).isZero();
            assertThatThrownBy(client::hear).isInstanceOf(IOException.class);
        }
    }

    @Test
    void cuts_ofManyClients_areCounted_andOneASecondIsTold() throws Exception {
        int clients = SHORT.connectionsPerUser();
        long beganNs = System.nanoTime();
        try (LoggedLines log = new LoggedLines(GrantServer.class)) {
            for (int i = 0; i < clients; i++) {
                try (RawClient huge = client()) {
                    huge.hello("huge");
                    huge.sayBytes(new byte[] {0x7f, -1, -1, -1});
                    assertThatThrownBy(huge::hear).isInstanceOf(IOException.class);
                }
            }
            assertThat(node.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isEqualTo(clients);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs);
            assertThat(log.containing("Cut client")).hasSizeBetween(1, (int) seconds + 1);
        }
    }
}
