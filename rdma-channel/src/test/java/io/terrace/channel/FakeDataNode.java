package io.terrace.channel;

import io.terrace.channel.server.GrantLimits;
import io.terrace.channel.server.GrantServer;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.Principal;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The least that gives grants: extents in a directory, a slot table, and a ledger that frees a retired extent when its
 * last holder let go. Behind a real {@link GrantServer} on a real socket. Keeps the rules of the contract and nothing
 * else.
 */
public final class FakeDataNode implements GrantService, AutoCloseable {
    /** An extent and who holds it. */
    private static final class Extent {
        final BlockKey block;
        final Path file;
        final ExtentDescriptor descriptor;
        final Map<Long, Peer> holders = new HashMap<>();
        boolean retiring;

        Extent(BlockKey block, Path file, ExtentDescriptor descriptor) {
            this.block = block;
            this.file = file;
            this.descriptor = descriptor;
        }
    }

    public final MetricRegistry metricRegistry = new MetricRegistry();
    public final AtomicLong reportedBytes = new AtomicLong();
    public final AtomicLong reportedReads = new AtomicLong();
    public final List<String> ends = new CopyOnWriteArrayList<>();
    public final Set<String> users = java.util.concurrent.ConcurrentHashMap.newKeySet();
    public volatile long leaseMs = 60_000;
    public volatile boolean renews = true;
    public volatile long grantDelayMs;
    public volatile byte @Nullable [] wantedToken;
    public volatile boolean linksLead = true;

    /** Lets the next grant end in an {@link Error}, as without memory it may. */
    public volatile boolean grantsFail;

    private final Path extents;
    private final LinkDirectory links;
    private final SlotTable table;
    private final GrantServer server;
    private final Map<BlockKey, Extent> live = new HashMap<>();
    private final Map<Long, Extent> byGrant = new HashMap<>();
    private long lastGrant;
    private long nextAddress;

    public FakeDataNode(Path channelDirectory, Path memory, String uuid, GrantLimits limits) throws IOException {
        this.extents = Files.createDirectories(memory.resolve(uuid).resolve("extents"));
        Files.setPosixFilePermissions(extents, PosixFilePermissions.fromString("rwx------"));
        this.links = LinkDirectory.create(memory.resolve(uuid).resolve("links"));
        Files.deleteIfExists(memory.resolve(uuid).resolve("slots"));
        this.table = SlotTable.create(memory.resolve(uuid).resolve("slots"), 1024, new Random());
        this.server = new GrantServer(
                SocketDirectory.check(channelDirectory), uuid, table, links, this, limits, metricRegistry);
    }

    public GrantServer server() {
        return server;
    }

    public SlotTable table() {
        return table;
    }

    public Path links() {
        return links.path();
    }

    /** Makes a block resident. */
    public synchronized void put(BlockKey block, byte[] content) throws IOException {
        int slot = table.claim(block);
        if (slot < 0) {
            throw new IOException("the slot table is full");
        }
        Path file = Files.write(extents.resolve(block.blockId() + "_" + nextAddress), content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        long sequence = table.sequence(slot);
        ExtentDescriptor descriptor =
                new ExtentDescriptor(block, StorageTier.MEMORY, nextAddress, content.length, slot, sequence);
        nextAddress += Math.max(4096, content.length);
        live.put(block, new Extent(block, file, descriptor));
        table.publish(slot);
    }

    /** Evicts a block: its bytes stay until the last holder let go, then the file is cut and removed. */
    public void retire(BlockKey block) {
        Map<Long, Peer> holders;
        Extent extent;
        synchronized (this) {
            extent = live.remove(block);
            table.retire(extent.descriptor.slot());
            extent.retiring = true;
            holders = new HashMap<>(extent.holders);
            freeIfUnheld(extent);
        }
        holders.forEach((grantId, peer) ->
                server.revoke(peer, grantId, extent.descriptor.slot(), extent.descriptor.sequence()));
    }

    /** Grants that are held now. */
    public synchronized int held() {
        return byGrant.size();
    }

    /** Extent files that exist now. */
    public int files() throws IOException {
        try (var list = Files.list(extents)) {
            return (int) list.count();
        }
    }

    @Override
    public GrantAnswer grant(Peer peer, GrantRequest request) {
        users.add(peer.user());
        pause();
        if (grantsFail) {
            grantsFail = false;
            throw new AssertionError("as was wanted");
        }
        if (wantedToken != null && !Arrays.equals(wantedToken, request.token())) {
            return new Refusal(RefusalReason.BAD_TOKEN, "not the token that was wanted");
        }
        synchronized (this) {
            Extent extent = live.get(request.block());
            if (extent == null) {
                return new Refusal(RefusalReason.NOT_RESIDENT, "no live extent of " + request.block());
            }
            try {
                String link = links.link(extent.file);
                long grantId = ++lastGrant;
                extent.holders.put(grantId, peer);
                byGrant.put(grantId, extent);
                return new Grant(grantId, extent.descriptor, linksLead ? link : "/nowhere/" + link, leaseMs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public Principal holder(Peer peer, GrantRequest request) {
        return Principal.onThisHost(peer.user());
    }

    @Override
    public synchronized long renew(Peer peer, long grantId) {
        Extent extent = byGrant.get(grantId);
        return renews && extent != null && !extent.retiring && peer.equals(extent.holders.get(grantId)) ? leaseMs : 0;
    }

    @Override
    public synchronized void released(Peer peer, long grantId) {
        Extent extent = byGrant.get(grantId);
        if (extent != null && peer.equals(extent.holders.get(grantId))) {
            byGrant.remove(grantId);
            extent.holders.remove(grantId);
            freeIfUnheld(extent);
        }
    }

    @Override
    public void reported(Peer peer, List<ReadReport> reports) {
        for (ReadReport report : reports) {
            reportedBytes.addAndGet(report.bytes());
            reportedReads.addAndGet(report.reads());
        }
    }

    @Override
    public synchronized void disconnected(Peer peer, boolean orderly) {
        ends.add(orderly ? "orderly" : "lost");
        Set<Long> theirs = new HashSet<>();
        byGrant.forEach((grantId, extent) -> {
            if (peer.equals(extent.holders.get(grantId))) {
                theirs.add(grantId);
            }
        });
        theirs.forEach(grantId -> released(peer, grantId));
    }

    @Override
    public void close() throws IOException {
        server.close();
        table.close();
    }

    private void pause() {
        try {
            Thread.sleep(grantDelayMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void freeIfUnheld(Extent extent) {
        if (!extent.retiring || !extent.holders.isEmpty()) {
            return;
        }
        table.free(extent.descriptor.slot());
        try {
            Files.setPosixFilePermissions(extent.file, PosixFilePermissions.fromString("rw-r--r--"));
            try (FileChannel file = FileChannel.open(extent.file, StandardOpenOption.WRITE)) {
                file.truncate(0);
            }
            Files.delete(extent.file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
