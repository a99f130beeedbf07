package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Extents that come and go under clients who do not know it yet. */
final class ExtentRegistryTest extends ListenerFixture {
    private static final int LENGTH = 64 * 1024;

    private final AtomicInteger refused = new AtomicInteger();
    private ExtentRegistry extents;
    private VerbsLink client;

    @BeforeEach
    void open() throws Exception {
        InetSocketAddress own = new InetSocketAddress(address.getAddress(), address.getPort() + 2_000);
        extents = ExtentRegistry.open(own, VerbsLimits.DEFAULT, VerbsOptions.DEFAULT, refused::incrementAndGet);
        client = provider.connect(extents.address(), PATIENCE_NS);
    }

    @AfterEach
    void end() throws Exception {
        if (extents != null) {
            client.close();
            extents.close();
        }
    }

    private static BlockKey block(int number) {
        return new BlockKey("pool", number, 1);
    }

    private Path file(int number) {
        return dir.resolve("extent" + number);
    }

    /** What a client is granted for a block. */
    private RegionKey grant(int number, int grantId) throws Exception {
        Files.write(file(number), new byte[LENGTH]);
        long at = (long) number * LENGTH;
        RegionKey key = new RegionKey(grantId, ~grantId, at, LENGTH, Access.READ);
        ExtentDescriptor descriptor = new ExtentDescriptor(block(number), StorageTier.MEMORY, at, LENGTH, 0, 1);
        extents.granted(new Grant(grantId, descriptor, "", 60_000), key, file(number), ChunkChecksums.NONE);
        return key;
    }

    private static void assertRefused(VerbsExtent region) {
        assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), PATIENCE_NS))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.status()).isEqualTo(TransferStatus.NO_ACCESS));
    }

    @Test
    void freedUnderAReaderWhoseLeaseIsOver_isVoid_andLeavesTheConnectionToTheOthers() throws Exception {
        RegionKey late = grant(1, 1);
        RegionKey other = grant(2, 2);
        VerbsExtent lateRegion = client.attach(late);
        VerbsExtent otherRegion = client.attach(other);
        lateRegion.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
        assertThat(extents.ended(late)).isEqualTo(VerbsExtent.LONGEST_READ_NS);
        extents.freed(block(1), LENGTH);
        Files.write(file(1), new byte[0]);
        assertRefused(lateRegion);
        assertThat(client.hasEnded()).isFalse();
        otherRegion.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                .until(() -> extents.listener().ranges() == 1);
        otherRegion.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
    }

    @Test
    void retired_isVoidAtOnce_forEveryHolder() throws Exception {
        RegionKey first = grant(1, 1);
        RegionKey second = grant(1, 2);
        VerbsExtent region = client.attach(second);
        assertThat(extents.listener().ranges()).isEqualTo(1);
        extents.retired(first);
        assertRefused(region);
        assertThat(client.hasEnded()).isFalse();
        assertThatThrownBy(() -> client.attach(first)).isInstanceOf(ChannelException.class);
    }

    @Test
    void freed_isUnmapped_thoughNothingIsGrantedAfterIt() throws Exception {
        RegionKey key = grant(1, 1);
        client.attach(key).read(0, ByteBuffer.allocate(10), PATIENCE_NS);
        assertThat(isMapped(file(1))).isTrue();
        assertThat(extents.ended(key)).isEqualTo(VerbsExtent.LONGEST_READ_NS);
        extents.freed(block(1), LENGTH);
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                .pollInterval(1, TimeUnit.SECONDS)
                .until(() -> !isMapped(file(1)));
    }

    private static boolean isMapped(Path file) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().anyMatch(line -> line.endsWith(file.toString()));
    }

    @Test
    void grantOfWhatCannotBeRegistered_isCounted_andTheNextIsTriedAnew() throws Exception {
        RegionKey key = new RegionKey(9, 9, 0, LENGTH, Access.READ);
        ExtentDescriptor descriptor = new ExtentDescriptor(block(9), StorageTier.MEMORY, 0, LENGTH, 0, 1);
        extents.granted(new Grant(9, descriptor, "", 60_000), key, file(9), ChunkChecksums.NONE);
        assertThat(refused).hasValue(1);
        assertThatThrownBy(() -> client.attach(key)).isInstanceOf(ChannelException.class);
        RegionKey next = grant(9, 10);
        client.attach(next).read(0, ByteBuffer.allocate(10), PATIENCE_NS);
        assertThat(refused).hasValue(1);
    }

    @Test
    void freedAndGrantedAgain_isAnotherRegistration() throws Exception {
        RegionKey before = grant(1, 1);
        VerbsExtent late = client.attach(before);
        extents.freed(block(1), LENGTH);
        VerbsExtent fresh = client.attach(grant(1, 2));
        fresh.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
        assertRefused(late);
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                .until(() -> extents.listener().ranges() == 1);
        fresh.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
    }
}
