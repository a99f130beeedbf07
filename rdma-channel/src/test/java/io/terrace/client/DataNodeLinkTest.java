package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.FramedSocket;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client says to a DataNode of its host, and how it takes each answer; the test is the DataNode. */
final class DataNodeLinkTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 2);
    private static final GrantKey KEY = new GrantKey("user", new byte[] {3}, BLOCK);
    private static final int LENGTH = 1_000;
    private static final int MAX_WAITING_ASKS = 256;

    @TempDir
    Path dir;

    private final BlockingQueue<String> forgotten = new LinkedBlockingQueue<>();
    private ServerSocketChannel server;
    private SlotTable table;
    private DataNodeLink link;
    private @Nullable FramedSocket datanode;

    @BeforeEach
    void start() throws IOException {
        table = SlotTable.create(dir.resolve("slots"), 64, new Random(1));
        table.publish(table.claim(BLOCK));
        Files.write(dir.resolve("extent"), new byte[LENGTH]);
        Path socket = dir.resolve("dn.sock");
        server = SocketDirectory.listen(socket);
        // Ticks are a second apart, so that what a test waits for is not what a tick brings.
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.report.interval", "1h");
        ClientConfig.Local settings = ClientConfig.from(conf).local();
        ReadResources resources = new ReadResources(new CopyBuffers(), new MappingBudget(), 0, LENGTH);
        link = new DataNodeLink(
                socket, settings, resources, "me", () -> 0, (grant, how) -> forgotten.add(grant.id() + " " + how));
        link.start();
    }

    @AfterEach
    void stop() throws IOException {
        link.close(TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NS));
        FramedSocket open = datanode;
        if (open != null) {
            open.close();
        }
        server.close();
        table.close();
    }

    /** Takes the connection and its first message. */
    private FramedSocket connected() throws Exception {
        FramedSocket fresh = new FramedSocket(server.accept());
        datanode = fresh;
        assertThat(heard()).isEqualTo(new Message.Hello("me"));
        return fresh;
    }

    private void welcomed() throws Exception {
        FramedSocket unused = connected();
        say(new Message.Welcome("dn", table.path().toString(), table.incarnation(), dir.toString()));
        link.awaitOpened(TIMEOUT_NS);
        assertThat(link.isOpen()).isTrue();
    }

    private void say(Message message) throws IOException {
        datanode.send(MessageCodec.encode(message), TIMEOUT_NS);
    }

    /** The client's next message; {@link EOFException} when it has gone. */
    private Message heard() throws IOException {
        ByteBuffer frame = datanode.receive(TIMEOUT_NS);
        assertThat(frame).as("a message in time").isNotNull();
        return MessageCodec.decode(frame);
    }

    private PendingGrant<LocalGrant> ask() {
        PendingGrant<LocalGrant> pending = new PendingGrant<>(KEY, System.nanoTime(), outcome -> {});
        link.ask(pending);
        return pending;
    }

    private Grant grant(long id, BlockKey block, String linkName) {
        int slot = table.lookup(BLOCK);
        return new Grant(
                id,
                new ExtentDescriptor(block, StorageTier.MEMORY, 0, LENGTH, slot, table.sequence(slot)),
                linkName,
                TimeUnit.HOURS.toMillis(1));
    }

    /** Asks and is granted. */
    private LocalGrant granted(long requestId, long grantId) throws IOException {
        PendingGrant<LocalGrant> pending = ask();
        assertThat(heard()).isInstanceOfSatisfying(Message.Ask.class, asked -> assertThat(asked.requestId())
                .isEqualTo(requestId));
        say(new Message.Granted(requestId, grant(grantId, BLOCK, "extent")));
        assertThat(heard()).isEqualTo(new Message.Opened(grantId));
        LocalGrant grant = pending.await(TIMEOUT_NS).grant();
        assertThat(grant).isNotNull();
        return grant;
    }

    private static void assertFails(PendingGrant<LocalGrant> pending, Metric why) {
        PendingGrant.Outcome<LocalGrant> outcome = pending.await(TIMEOUT_NS);
        assertThat(outcome.grant()).isNull();
        assertThat(outcome.fallback()).isEqualTo(why);
    }

    private void awaitEnd() throws Exception {
        link.close(TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NS));
        assertThat(link.hasEnded()).isTrue();
        assertThat(link.isOpen()).isFalse();
    }

    @Test
    void welcome_opensTheTable_whichTellsWhatIsResident() throws Exception {
        assertThat(isResident(link, BLOCK)).isFalse();
        welcomed();
        assertThat(isResident(link, BLOCK)).isTrue();
        assertThat(isResident(link, new BlockKey("pool", 1, 3))).isFalse();
    }

    @Test
    void reportSoonAndAsk_beforeTheWelcome_leaveTheLinkWaiting() throws Exception {
        FramedSocket early = connected();
        link.reportSoon();
        PendingGrant<LocalGrant> pending = ask();
        assertThat(early.receive(TimeUnit.MILLISECONDS.toNanos(200)))
                .as("the link says nothing yet, and has not gone")
                .isNull();
        say(new Message.Welcome("dn", table.path().toString(), table.incarnation(), dir.toString()));
        link.awaitOpened(TIMEOUT_NS);
        assertThat(link.isOpen()).isTrue();
        assertThat(heard()).isInstanceOf(Message.Ask.class);
        say(new Message.Refused(1, new Refusal(RefusalReason.FAILED, "as was wanted")));
        assertFails(pending, Metric.CLIENT_FALLBACK_REFUSED);
    }

    @Test
    void close_beforeTheWelcome_endsTheLink() throws Exception {
        FramedSocket unused = connected();
        awaitEnd();
    }

    @Test
    void welcome_ofAnotherProcessesTable_endsTheLink() throws Exception {
        FramedSocket unused = connected();
        say(new Message.Welcome("dn", table.path().toString(), table.incarnation() + 1, dir.toString()));
        link.awaitOpened(TIMEOUT_NS);
        assertThat(link.isOpen()).isFalse();
        awaitEnd();
    }

    @Test
    void anotherFirstAnswerThanAWelcome_endsTheLink() throws Exception {
        FramedSocket unused = connected();
        say(new Message.Revoke(1, 0, 0));
        link.awaitOpened(TIMEOUT_NS);
        assertThat(link.isOpen()).isFalse();
        awaitEnd();
    }

    @Test
    void grant_isAskedForWithItsToken_opened_andRead() throws Exception {
        welcomed();
        PendingGrant<LocalGrant> pending = ask();
        assertThat(heard()).isEqualTo(new Message.Ask(1, new GrantRequest(BLOCK, new byte[] {3}, false)));
        say(new Message.Granted(1, grant(7, BLOCK, "extent")));
        assertThat(heard()).isEqualTo(new Message.Opened(7));
        LocalGrant grant = pending.await(TIMEOUT_NS).grant();
        assertThat(grant.key()).isEqualTo(KEY);
        assertThat(grant.isUsable()).isTrue();
        assertThat(grant.read(0, new byte[LENGTH], 0, LENGTH)).isTrue();
    }

    @Test
    void grant_ofAnotherBlock_goesBack() throws Exception {
        welcomed();
        PendingGrant<LocalGrant> pending = ask();
        Message unused = heard();
        say(new Message.Granted(1, grant(7, new BlockKey("pool", 1, 3), "extent")));
        assertThat(heard()).isEqualTo(new Message.Release(List.of(7L)));
        assertFails(pending, Metric.CLIENT_FALLBACK_FAILED);
    }

    @Test
    void grant_thatNobodyAskedFor_goesBack() throws Exception {
        welcomed();
        say(new Message.Granted(9, grant(7, BLOCK, "extent")));
        assertThat(heard()).isEqualTo(new Message.Release(List.of(7L)));
    }

    @Test
    void grant_whoseLinkLeadsNowhere_goesBack() throws Exception {
        welcomed();
        PendingGrant<LocalGrant> pending = ask();
        Message unused = heard();
        say(new Message.Granted(1, grant(7, BLOCK, "nowhere")));
        assertThat(heard()).isEqualTo(new Message.Release(List.of(7L)));
        assertFails(pending, Metric.CLIENT_FALLBACK_UNREACHABLE);
    }

    @Test
    void grant_afterNobodyWaitsForIt_isOpenedAndGoesBack() throws Exception {
        welcomed();
        PendingGrant<LocalGrant> pending = ask();
        Message unused = heard();
        pending.fail(Metric.CLIENT_FALLBACK_TIMEOUT);
        say(new Message.Granted(1, grant(7, BLOCK, "extent")));
        assertThat(heard()).isEqualTo(new Message.Opened(7));
        assertThat(heard()).isEqualTo(new Message.Release(List.of(7L)));
        assertThat(forgotten.take()).isEqualTo("7 RELEASED");
    }

    @Test
    void refusal_isToldToWhoAsked_andAnswersMayComeInAnyOrder() throws Exception {
        welcomed();
        PendingGrant<LocalGrant> first = ask();
        PendingGrant<LocalGrant> second = ask();
        Message unused = heard();
        Message unusedToo = heard();
        say(new Message.Refused(99, new Refusal(RefusalReason.FAILED, "nobody asked")));
        say(new Message.Refused(2, new Refusal(RefusalReason.BAD_TOKEN, "as was wanted")));
        assertFails(second, Metric.CLIENT_FALLBACK_REFUSED);
        say(new Message.Granted(1, grant(7, BLOCK, "extent")));
        assertThat(first.await(TIMEOUT_NS).grant()).isNotNull();
    }

    @Test
    void revoke_endsTheGrant_reportsWhatWasRead_andIsAcknowledged() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        grant.countReader();
        assertThat(grant.read(0, new byte[10], 0, 10)).isTrue();
        say(new Message.Revoke(7, 0, 0));
        assertThat(heard()).isEqualTo(new Message.Report(List.of(new ReadReport(7, 1, 10))));
        assertThat(heard()).isEqualTo(new Message.Revoked(7));
        assertThat(forgotten.take()).isEqualTo("7 REVOKED");
        assertThat(grant.isUsable()).isFalse();
    }

    @Test
    void revoke_ofAGrantThatIsGone_isAcknowledged() throws Exception {
        welcomed();
        say(new Message.Revoke(8, 0, 0));
        assertThat(heard()).isEqualTo(new Message.Revoked(8));
    }

    @Test
    void reportSoon_sendsWhatIsUnreported_atOnce() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        assertThat(grant.read(0, new byte[10], 0, 10)).isTrue();
        link.reportSoon();
        assertThat(heard()).isEqualTo(new Message.Report(List.of(new ReadReport(7, 0, 10))));
        assertThat(grant.read(0, new byte[LENGTH], 0, LENGTH))
                .as("so much is a reason of its own")
                .isTrue();
        assertThat(heard()).isEqualTo(new Message.Report(List.of(new ReadReport(7, 0, LENGTH))));
    }

    @Test
    void close_reportsWhatWasRead_saysGoodbye_andEndsTheGrants() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        assertThat(grant.read(0, new byte[10], 0, 10)).isTrue();
        link.close(TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NS));
        assertThat(heard()).isEqualTo(new Message.Report(List.of(new ReadReport(7, 0, 10))));
        assertThat(heard()).isEqualTo(new Message.Goodbye());
        assertThat(forgotten.take()).isEqualTo("7 LOST");
        assertThat(grant.isUsable()).isFalse();
    }

    @Test
    void datanodeThatGoes_endsGrantsAndAsks_andNobodyAsksAnyMore() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        PendingGrant<LocalGrant> pending = ask();
        datanode.close();
        assertFails(pending, Metric.CLIENT_FALLBACK_NO_DATANODE);
        awaitEnd();
        assertThat(forgotten.take()).isEqualTo("7 LOST");
        assertThat(grant.isUsable()).isFalse();
        assertThat(isResident(link, BLOCK)).isFalse();
        assertFails(ask(), Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    @Test
    void readBytes_thatNobodyCanBeTold_areCounted() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        assertThat(grant.read(0, new byte[10], 0, 10)).isTrue();
        assertThat(AccessorFixture.moved(Metric.CLIENT_UNREPORTED_BYTES, () -> {
                    datanode.close();
                    awaitEnd();
                }))
                .isEqualTo(10);
    }

    @Test
    void datanodeThatSpeaksAsAClient_losesTheLink() throws Exception {
        welcomed();
        LocalGrant grant = granted(1, 7);
        say(new Message.Hello("you"));
        assertThat(forgotten.take()).isEqualTo("7 LOST");
        assertThat(grant.isUsable()).isFalse();
        awaitEnd();
    }

    @Test
    void asks_beyondWhatMayWait_failAtOnce() throws Exception {
        welcomed();
        for (int i = 0; i < MAX_WAITING_ASKS; i++) {
            ask();
        }
        assertFails(ask(), Metric.CLIENT_FALLBACK_LIMIT);
    }

    private static boolean isResident(DataNodeLink link, BlockKey block) {
        return link.isResident(block.pool(), block.blockId(), block.generationStamp());
    }
}
