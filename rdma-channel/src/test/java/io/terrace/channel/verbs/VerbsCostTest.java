package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.DeviceCounters;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What a read costs, counted; and times as ratios within one run, which is all that an emulated guest can say. */
final class VerbsCostTest extends ListenerFixture {
    private static final int PAGE = 4096;
    private static final int CHUNK = 512;
    private static final int CONNECTIONS = 200;
    private static final int EXTENTS = 10_000;

    /** JNA's, for one post and two polls; nothing is ours. */
    private static final int ALLOCATED_BYTES = 100;

    @Test
    void aSmallRead_isOnePostAndOneCompletion_registersNothingAndAllocatesLittle() throws Exception {
        RegionKey key = register("extent", 1 << 20);
        try (VerbsLink link = connect()) {
            VerbsExtent region = link.attach(key);
            ByteBuffer target = ByteBuffer.allocateDirect(PAGE);
            long[] warm = read(region, target, 1000);
            DeviceCounters deviceCounters = provider.deviceCounters();
            long registered = deviceCounters.registered.sum();
            long posts = deviceCounters.posts.sum();
            long completions = deviceCounters.completions.sum();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().getId();
            int reads = 2000;
            long[] times = new long[reads];
            long allocated = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < reads; i++) {
                long startNs = System.nanoTime();
                region.read((i & 127) * (long) PAGE, target.clear(), PATIENCE_NS);
                times[i] = System.nanoTime() - startNs;
            }
            allocated = threads.getThreadAllocatedBytes(thread) - allocated;
            assertThat(deviceCounters.registered.sum()).isEqualTo(registered);
            assertThat(deviceCounters.posts.sum() - posts).isEqualTo(reads);
            assertThat(deviceCounters.completions.sum() - completions).isEqualTo(reads);
            long nioNs = nioRoundTripNs(1000, reads);
            System.out.println("figure read4k.median.ns " + median(times) + " (first thousand " + median(warm) + ")");
            System.out.println("figure read4k.allocated.bytes " + allocated / reads);
            System.out.println("figure nio4k.median.ns " + nioNs);
            System.out.printf("figure read4k.over.nio %.2f%n", (double) median(times) / nioNs);
            assertThat(allocated / reads).isLessThan(ALLOCATED_BYTES);
        }
    }

    @Test
    void aSmallReadWithChecksums_isOnePostAndOneCompletion_andAllocatesLittle() throws Exception {
        int lengthBytes = 1 << 20;
        byte[] sums = new byte[lengthBytes / CHUNK * 4];
        CRC32C crc = new CRC32C();
        crc.update(new byte[CHUNK]);
        for (int i = 0; i < sums.length; i += 4) {
            ByteBuffer.wrap(sums).putInt(i, (int) crc.getValue());
        }
        Path file = Files.write(dir.resolve("checked"), new byte[lengthBytes]);
        RegionKey key = listener.register(
                new ExtentRange(file, 0, lengthBytes),
                Access.READ,
                new ChunkChecksums(ChecksumType.CRC32C, CHUNK, sums));
        try (VerbsLink link = connect()) {
            VerbsExtent region = link.attach(key);
            ByteBuffer target = ByteBuffer.allocateDirect(PAGE);
            long[] unused = read(region, target, 500);
            DeviceCounters deviceCounters = provider.deviceCounters();
            long posts = deviceCounters.posts.sum();
            long completions = deviceCounters.completions.sum();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().getId();
            int reads = 500;
            long allocated = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < reads; i++) {
                region.read((i & 127) * (long) PAGE, target.clear(), PATIENCE_NS);
            }
            allocated = threads.getThreadAllocatedBytes(thread) - allocated;
            assertThat(deviceCounters.posts.sum() - posts).isEqualTo(reads);
            assertThat(deviceCounters.completions.sum() - completions).isEqualTo(reads);
            System.out.println("figure checked4k.allocated.bytes " + allocated / reads);
            assertThat(allocated / reads).isLessThan(ALLOCATED_BYTES);
        }
        listener.deregister(key);
    }

    @Test
    void manyConnectionsAndExtents_costAboutAsMuchAsFew() throws Exception {
        List<RegionKey> keys = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            keys.add(register("few" + i, PAGE));
        }
        List<VerbsExtent> few = new ArrayList<>();
        List<VerbsLink> links = new ArrayList<>();
        links.add(connect());
        for (RegionKey key : keys) {
            few.add(links.get(0).attach(key));
        }
        long seed = 6;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        long[] warm = rounds(few, random);
        long[] before = rounds(few, random);
        long startNs = System.nanoTime();
        for (int i = keys.size(); i < EXTENTS; i++) {
            keys.add(register("many" + i, PAGE));
        }
        long registeredNs = System.nanoTime();
        while (links.size() < CONNECTIONS) {
            links.add(connect());
        }
        long connectedNs = System.nanoTime();
        List<VerbsExtent> many = new ArrayList<>();
        for (int i = 0; i < 4 * CONNECTIONS; i++) {
            many.add(links.get(i % CONNECTIONS).attach(keys.get(random.nextInt(EXTENTS))));
        }
        long[] among = rounds(many, random);
        for (VerbsLink link : links.subList(1, CONNECTIONS)) {
            link.close();
        }
        for (RegionKey key : keys.subList(few.size(), EXTENTS)) {
            listener.deregister(key);
        }
        // Alone again: what the machine did meanwhile counts for both.
        long[] after = rounds(few, random);
        long fewNs = (median(before) + median(after)) / 2;
        double ratio = (double) median(among) / fewNs;
        System.out.println("figure few.median.ns " + fewNs + ", warming " + Arrays.toString(warm) + ", before "
                + Arrays.toString(before) + ", after " + Arrays.toString(after) + ", many " + Arrays.toString(among));
        System.out.println("figure register.us " + (registeredNs - startNs) / 1000 / EXTENTS + " connect.us "
                + (connectedNs - registeredNs) / 1000 / CONNECTIONS);
        System.out.printf("figure many.over.few %.2f%n", ratio);
        links.get(0).close();
        for (RegionKey key : keys.subList(0, few.size())) {
            listener.deregister(key);
        }
        assertThat(listener.ranges()).isZero();
        assertThat(ratio).isLessThan(1.5);
    }

    private static long[] read(VerbsExtent region, ByteBuffer target, int reads) throws Exception {
        long[] times = new long[reads];
        for (int i = 0; i < reads; i++) {
            long startNs = System.nanoTime();
            region.read(0, target.clear(), PATIENCE_NS);
            times[i] = System.nanoTime() - startNs;
        }
        return times;
    }

    /** The medians of some rounds of reads. */
    private static long[] rounds(List<VerbsExtent> regions, Random random) throws Exception {
        long[] medians = new long[3];
        for (int round = 0; round < medians.length; round++) {
            medians[round] = median(readAll(regions, random, 1000));
        }
        return medians;
    }

    private static long[] readAll(List<VerbsExtent> regions, Random random, int reads) throws Exception {
        ByteBuffer target = ByteBuffer.allocateDirect(PAGE);
        long[] times = new long[reads];
        for (int i = 0; i < reads; i++) {
            VerbsExtent region = regions.get(random.nextInt(regions.size()));
            long startNs = System.nanoTime();
            region.read(0, target.clear(), PATIENCE_NS);
            times[i] = System.nanoTime() - startNs;
        }
        return times;
    }

    /** 16 bytes there, a page back, over one blocking connection to a thread of this process. */
    private static long nioRoundTripNs(int warm, int rounds) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread other = new Thread(() -> {
                try (SocketChannel channel = server.accept()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    ByteBuffer request = ByteBuffer.allocateDirect(16);
                    ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
                    while (fill(channel, request.clear())) {
                        page.clear();
                        while (page.hasRemaining()) {
                            channel.write(page);
                        }
                    }
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            other.start();
            long[] times = new long[rounds];
            try (SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                ByteBuffer request = ByteBuffer.allocateDirect(16);
                ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
                for (int i = -warm; i < rounds; i++) {
                    long startNs = System.nanoTime();
                    request.clear();
                    while (request.hasRemaining()) {
                        channel.write(request);
                    }
                    fill(channel, page.clear());
                    if (i >= 0) {
                        times[i] = System.nanoTime() - startNs;
                    }
                }
            }
            other.join();
            return median(times);
        }
    }

    private static boolean fill(SocketChannel channel, ByteBuffer target) throws java.io.IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                return false;
            }
        }
        return true;
    }

    private static long median(long[] times) {
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
