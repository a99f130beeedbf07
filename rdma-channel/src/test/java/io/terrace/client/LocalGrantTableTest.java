package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which leases are renewed, which grants are given back and what is reported, at times that the test passes in. */
final class LocalGrantTableTest {
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 2);
    private static final long LEASE_MS = 1_000;

    @TempDir
    Path dir;

    private final List<Message> sent = new ArrayList<>();
    private final List<Long> released = new ArrayList<>();
    private SlotTable slots;
    private LocalGrantTable table;
    private int heldByProcess;
    private long nowNs = TimeUnit.SECONDS.toNanos(1_000);

    /** Reads everything. */
    private static final class Everything implements LocalGrant.Content {
        @Override
        public boolean read(long position, byte[] target, int offset, int length) {
            return true;
        }

        @Override
        public boolean read(long position, ByteBuffer target, int length) {
            return true;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() throws IOException {
        slots = SlotTable.create(dir.resolve("slots"), 64, new Random(1));
        slots.publish(slots.claim(BLOCK));
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.grants.max", "16");
        conf.set("terrace.client.grant.idle", "5s");
        table = new LocalGrantTable(ClientConfig.from(conf).local(), () -> heldByProcess, sent::add);
    }

    @AfterEach
    void stop() throws IOException {
        slots.close();
    }

    private LocalGrant enter(long id) {
        int slot = slots.lookup(BLOCK);
        LocalGrant grant = new LocalGrant(
                new GrantKey("user", new byte[0], BLOCK),
                new Grant(
                        id,
                        new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 0, 10, slot, slots.sequence(slot)),
                        "link",
                        LEASE_MS),
                nowNs,
                slots,
                new Everything(),
                (ended, how) -> {
                    released.add(ended.id());
                    table.leave(ended);
                },
                () -> {},
                Long.MAX_VALUE,
                () -> nowNs);
        table.enter(grant);
        heldByProcess++;
        return grant;
    }

    private void passMs(long ms) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    @Test
    void tend_asksToRenew_whatIsHalfOver_onceUntilTheAnswer() {
        LocalGrant grant = enter(1);
        passMs(LEASE_MS / 2);
        table.maintain(nowNs);
        assertThat(sent).isEmpty();
        passMs(1);
        table.maintain(nowNs);
        long askedNs = nowNs;
        passMs(100);
        table.maintain(nowNs);
        assertThat(sent).containsExactly(new Message.Renew(List.of(1L)));
        table.renewed(List.of(new Message.Lease(1, LEASE_MS), new Message.Lease(99, LEASE_MS)));
        assertThat(grant.leaseLeftMs(askedNs))
                .as("counted from when it was asked for")
                .isEqualTo(LEASE_MS);
        passMs(LEASE_MS / 2);
        table.maintain(nowNs);
        assertThat(sent).hasSize(2);
    }

    @Test
    void tend_ofALeaseThatTheDataNodeLetsEnd_asksNoMore_andGivesItBackThen() {
        enter(1);
        passMs(600);
        table.maintain(nowNs);
        table.renewed(List.of(new Message.Lease(1, 0)));
        passMs(100);
        table.maintain(nowNs);
        assertThat(sent).hasSize(1);
        assertThat(released).isEmpty();
        passMs(300);
        table.maintain(nowNs);
        assertThat(released).containsExactly(1L);
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.get(1)).isNull();
    }

    @Test
    void tend_givesBackWhatIsIdle_andKeepsWhatIsRead() throws Exception {
        enter(1);
        LocalGrant used = enter(2);
        table.maintain(nowNs);
        for (int i = 0; i < 6; i++) {
            passMs(900);
            for (LocalGrant each : List.of(table.get(1), used)) {
                each.extendLease(nowNs + TimeUnit.SECONDS.toNanos(10));
            }
            assertThat(used.read(0, new byte[1], 0, 1)).isTrue();
            table.maintain(nowNs);
        }
        assertThat(released).containsExactly(1L);
        assertThat(table.get(2)).isSameAs(used);
    }

    @Test
    void tend_nearTheLimitOfTheProcess_givesBackAnEighth_leastRecentlyUsedFirst() {
        for (long id = 1; id <= 15; id++) {
            enter(id).lastUsedNs = nowNs + id;
            table.get(id).takeUsed();
        }
        table.get(1).countServed(1);
        heldByProcess = 14;
        table.maintain(nowNs);
        assertThat(released).isEmpty();
        heldByProcess = 15;
        table.get(1).countServed(1);
        table.maintain(nowNs);
        assertThat(released).containsExactly(2L, 3L, 4L);
    }

    @Test
    void report_tellsWhatWasRead_inMessagesOfABoundedLength() throws Exception {
        int grants = MessageCodec.MAX_LIST + 1;
        for (long id = 1; id <= grants; id++) {
            assertThat(enter(id).read(0, new byte[3], 0, 3)).isTrue();
        }
        table.report();
        assertThat(sent).hasSize(2);
        assertThat(sent)
                .extracting(message -> ((Message.Report) message).reports().size())
                .containsExactly(MessageCodec.MAX_LIST, 1);
        sent.clear();
        table.report();
        assertThat(sent).isEmpty();
    }

    @Test
    void endAll_endsEach() {
        enter(1);
        enter(2);
        table.endAll(LocalGrant.End.LOST);
        assertThat(released).containsExactlyInAnyOrder(1L, 2L);
        assertThat(table.isEmpty()).isTrue();
    }
}
