package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.rdmacore.DeviceFacts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How much is registered and for how long, and what is refused. */
final class VerbsRegistrationTest extends ListenerFixture {
    private static final int LENGTH = 1 << 20;

    @Test
    void aRangeOverOneGigabyte_isReadAcrossItsRegistrations() throws Exception {
        long lengthBytes = Attachment.SEGMENT_BYTES + (16L << 20);
        Path file = dir.resolve("large");
        byte[] around = new byte[3_000_000];
        new Random(3).nextBytes(around);
        long aroundAt = Attachment.SEGMENT_BYTES - 1_234_567L;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(around), aroundAt);
            channel.write(ByteBuffer.wrap(new byte[] {42}), lengthBytes - 1);
        }
        Held before = Held.of(provider);
        RegionKey key = listener.register(new ExtentRange(file, 0, lengthBytes), Access.READ);
        assertThat(Held.of(provider).registrations()).isEqualTo(before.registrations() + 2);
        assertThat(listener.rangeBytes()).isEqualTo(lengthBytes);
        try (VerbsLink client = connect()) {
            VerbsExtent region = client.attach(key);
            ByteBuffer target = ByteBuffer.allocate(around.length);
            region.read(aroundAt, target, PATIENCE_NS);
            assertThat(target.array()).isEqualTo(around);
            ByteBuffer small = ByteBuffer.allocate(100);
            region.read(Attachment.SEGMENT_BYTES - 50, small, PATIENCE_NS);
            assertThat(small.flip()).isEqualTo(ByteBuffer.wrap(around, 1_234_567 - 50, 100));
            ByteBuffer last = ByteBuffer.allocate(1);
            region.read(lengthBytes - 1, last, PATIENCE_NS);
            assertThat(last.get(0)).isEqualTo((byte) 42);
        }
        listener.deregister(key);
        assertThat(Held.of(provider)).isEqualTo(before);
        Files.delete(file);
    }

    @Test
    void moreThanTheBound_isRefused_andLeavesNothing() throws Exception {
        VerbsLimits small = new VerbsLimits(16, 4, 3, 2L * LENGTH);
        try (VerbsProvider bounded = VerbsFixture.provider(small);
                VerbsListener own = bounded.listen(VerbsFixture.address(bounded))) {
            Held unused = Held.of(bounded);
            ExtentRange range = new ExtentRange(Files.write(dir.resolve("bounded"), new byte[LENGTH]), 0, LENGTH);
            RegionKey first = own.register(range, Access.READ);
            // Checksums are pinned too, so a second one with them is too much, and one without is not.
            ChunkChecksums checksums = new ChunkChecksums(ChecksumType.CRC32C, 512, new byte[LENGTH / 512 * 4]);
            assertThatThrownBy(() -> own.register(range, Access.READ, checksums))
                    .isInstanceOf(IOException.class);
            RegionKey second = own.register(range, Access.READ);
            assertThatThrownBy(() -> own.register(range, Access.READ)).isInstanceOf(IOException.class);
            own.deregister(first);
            own.deregister(second);
            RegionKey third = own.register(range, Access.READ, checksums);
            assertThat(own.rangeBytes()).isEqualTo(LENGTH + LENGTH / 128);
            own.deregister(third);
            assertThat(Held.of(bounded)).isEqualTo(unused);
            assertThat(own.rangeBytes()).isZero();
        }
    }

    @Test
    void moreThanMayBeLocked_isRefusedByTheKernel_andTheRestGoesOn() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "another user with a limit needs root");
        InetSocketAddress theirs = new InetSocketAddress(address.getAddress(), address.getPort() + 1);
        try (OtherProcess other = OtherProcess.ofLittleLockedMemory(theirs, 64 << 10)) {
            String[] said = other.said().split(", ");
            System.out.println("64 MB of locked memory: " + String.join(", ", said));
            assertThat(Integer.parseInt(said[0])).isBetween(2, 15);
            assertThat(said[1]).contains("ibv_reg_mr failed with errno 12");
            assertThat(said[2]).as("a refused registration leaves nothing").isEqualTo("true");
        }
    }

    @Test
    void addresses_rest_beforeSomethingElseIsThere() throws Exception {
        Path file = Files.write(dir.resolve("resting"), new byte[LENGTH]);
        Set<Long> addresses = new HashSet<>();
        try (VerbsLink client = connect()) {
            long startNs = System.nanoTime();
            int rounds = 0;
            while (rounds < 20 && System.nanoTime() - startNs < MemoryRegistrar.REST_NS) {
                RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
                boolean isNew = addresses.add(client.attach(key).attachment().address());
                assertThat(isNew || System.nanoTime() - startNs > MemoryRegistrar.REST_NS)
                        .isTrue();
                listener.deregister(key);
                rounds++;
            }
            assertThat(addresses.size()).isGreaterThan(1);
            assertThat(mappingsOf(file)).isEqualTo(addresses.size());
        }
        // What has rested is unmapped when the next comes or goes.
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                .pollInterval(1, TimeUnit.SECONDS)
                .untilAsserted(() -> {
                    listener.deregister(register("next", 4096));
                    assertThat(mappingsOf(file)).isZero();
                });
    }

    private static long mappingsOf(Path file) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.endsWith(file.toString()))
                .count();
    }

    @Test
    void pagingThatTheDeviceIsNotTrustedWith_isRefused_andRangesArePinned() throws Exception {
        DeviceFacts facts = DeviceFacts.of(listener.domain().device());
        assertThat(facts.vendor()).isEqualTo(vendorAsToolsSay());
        assumeTrue(facts.paging() == DeviceFacts.NO_PAGING, "this device has on-demand paging");
        try (VerbsProvider paging = VerbsProvider.open(VerbsLimits.DEFAULT, new VerbsOptions(false, true));
                VerbsListener own = paging.listen(VerbsFixture.address(paging))) {
            assertThat(own.domain().paging().right(Access.READ)).isZero();
            ExtentRange range = new ExtentRange(Files.write(dir.resolve("pinned"), new byte[LENGTH]), 0, LENGTH);
            RegionKey key = own.register(range, Access.READ);
            try (VerbsLink client = paging.connect(own.address(), PATIENCE_NS)) {
                client.attach(key).read(0, ByteBuffer.allocate(LENGTH), PATIENCE_NS);
            }
        }
    }

    private static int vendorAsToolsSay() throws IOException {
        Process tool = new ProcessBuilder("ibv_devinfo").start();
        String text = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher vendor = Pattern.compile("vendor_id:\\s+0x(\\p{XDigit}+)").matcher(text);
        assertThat(vendor.find()).as(text).isTrue();
        return Integer.parseInt(vendor.group(1), 16);
    }
}
