package io.terrace.client;

import io.terrace.channel.Access;
import io.terrace.channel.BlockKey;
import io.terrace.channel.ChannelDirectory;
import io.terrace.channel.FramedSocket;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.SlotTable;
import io.terrace.channel.shm.ExtentFile;
import io.terrace.metrics.Figure;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one DataNode of this host: its slot table, the grants it gave, and the one thread that speaks with
 * it. Reading threads never touch the socket, so an interrupted one harms nobody.
 *
 * <p>The thread answers revocations, renews leases that are still used, gives idle grants back and reports what was read.
 * When the connection ends, for whatever reason, all grants end with it. It is a daemon and ends by itself when nothing
 * was read for {@link #UNUSED_NS}.
 */
final class DataNodeLink {
    private static final Logger LOG = LoggerFactory.getLogger(DataNodeLink.class);
    private static final long SEND_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long HELLO_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long KEEP_ALIVE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long UNUSED_NS = TimeUnit.MINUTES.toNanos(5);
    /** A DataNode beats every second; one that stopped is frozen or dead. */
    private static final long SILENT_HEART_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int MAX_WAITING_ASKS = 256;

    private final Path socketPath;
    private final ClientSettings settings;
    private final LocalLimits limits;
    private final String clientName;
    private final HeldGrant.Aftermath forget;
    private final Thread thread;
    private final CountDownLatch opened = new CountDownLatch(1);
    private final Map<Long, PendingAsk> asks = new ConcurrentHashMap<>();
    private final AtomicLong lastRequest = new AtomicLong();
    private final Queue<Message> outbox = new ConcurrentLinkedQueue<>();

    /** Grants that are not over; entered by the control thread, left by whoever ends last. */
    private final Map<Long, HeldGrant> grants = new ConcurrentHashMap<>();

    private volatile @Nullable SlotTable table;
    private volatile @Nullable FramedSocket socket;
    private volatile boolean ended;
    private volatile boolean closing;
    private volatile boolean reportWanted;
    private volatile long lastUsedNs = System.nanoTime();
    private long lastSentNs = System.nanoTime();
    private long renewAskedNs;
    private boolean renewAsked;
    private @Nullable Path links;
    private long heartbeat;
    private long heartbeatSeenNs;

    /** @param forget is told of every grant that ended, from any thread */
    DataNodeLink(
            Path socketPath,
            ClientSettings settings,
            LocalLimits limits,
            String clientName,
            HeldGrant.Aftermath forget) {
        this.socketPath = socketPath;
        this.settings = settings;
        this.limits = limits;
        this.clientName = clientName;
        this.forget = forget;
        this.thread = new Thread(this::run, "terrace-" + socketPath.getFileName());
        this.thread.setDaemon(true);
        // A thread inherits the loader of whoever happened to read first, which may be unloaded later.
        this.thread.setContextClassLoader(DataNodeLink.class.getClassLoader());
    }

    void start() {
        thread.start();
    }

    Path socketPath() {
        return socketPath;
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isOpen() {
        return table != null && !ended;
    }

    /** Waits until the DataNode welcomed us or turned out useless. */
    void awaitOpened(long timeoutNs) throws InterruptedException {
        if (!opened.await(timeoutNs, TimeUnit.NANOSECONDS)) {
            LOG.debug("{} does not answer yet", socketPath);
        }
    }

    /** Whether the block is resident there, by a look at the table. */
    boolean isResident(BlockKey block) {
        SlotTable known = table;
        return known != null && !ended && known.lookup(block) >= 0;
    }

    void touch(long nowNs) {
        lastUsedNs = nowNs;
    }

    /** Asks for a grant and waits for it. */
    PendingAsk ask(GrantKey key) {
        PendingAsk ask = new PendingAsk(key, System.nanoTime());
        if (asks.size() >= MAX_WAITING_ASKS) {
            ask.fail(Figure.CLIENT_FALLBACK_LIMIT);
            return ask;
        }
        long requestId = lastRequest.incrementAndGet();
        asks.put(requestId, ask);
        if (ended) {
            asks.remove(requestId);
            ask.fail(Figure.CLIENT_FALLBACK_NO_DATANODE);
            return ask;
        }
        ClientFigures.figures().increment(Figure.CLIENT_GRANTS_ASKED);
        post(new Message.Ask(requestId, new GrantRequest(key.block(), key.token(), false)));
        return ask;
    }

    /** Sends what is unreported at once. */
    void reportSoon() {
        reportWanted = true;
        wake();
    }

    /** Says goodbye; waits no longer than that. */
    void close(long timeoutMs) {
        closing = true;
        wake();
        try {
            thread.join(timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void post(Message message) {
        outbox.add(message);
        wake();
    }

    private void wake() {
        FramedSocket open = socket;
        if (open != null) {
            open.wakeup();
        }
    }

    private void run() {
        try (FramedSocket connected = connect()) {
            socket = connected;
            table = welcome(connected);
            heartbeatSeenNs = System.nanoTime();
            opened.countDown();
            LOG.debug("Reads resident blocks of {}", socketPath);
            converse(connected);
        } catch (IOException | RuntimeException e) {
            LOG.debug("The connection to {} ended", socketPath, e);
        } finally {
            ended = true;
            opened.countDown();
            grants.values().forEach(grant -> grant.end(HeldGrant.End.LOST));
            asks.values().forEach(ask -> ask.fail(Figure.CLIENT_FALLBACK_NO_DATANODE));
            asks.clear();
        }
    }

    private FramedSocket connect() throws IOException {
        FramedSocket connected = FramedSocket.connect(UnixDomainSocketAddress.of(socketPath), HELLO_TIMEOUT_NS);
        try {
            String user = connected.peerUser();
            String owner = ChannelDirectory.ownerOf(socketPath).getName();
            if (!owner.equals(user)) {
                throw new IOException("user " + user + " answers at a socket of " + owner);
            }
            return connected;
        } catch (IOException | RuntimeException e) {
            connected.close();
            throw e;
        }
    }

    private SlotTable welcome(FramedSocket connected) throws IOException {
        connected.send(MessageCodec.encode(new Message.Hello(clientName)), SEND_TIMEOUT_NS);
        ByteBuffer frame = connected.receive(HELLO_TIMEOUT_NS);
        if (frame == null || !(MessageCodec.decode(frame) instanceof Message.Welcome welcome)) {
            throw new MalformedMessageException("no welcome");
        }
        SlotTable opened = SlotTable.open(Path.of(welcome.slotTable()));
        if (opened.incarnation() != welcome.incarnation()) {
            throw new IOException(welcome.slotTable() + " is of another DataNode process");
        }
        links = Path.of(welcome.links());
        return opened;
    }

    private void converse(FramedSocket connected) throws IOException {
        long tickNs = TimeUnit.MILLISECONDS.toNanos(Math.min(settings.reportIntervalMs(), 1_000));
        long nextTickNs = System.nanoTime() + tickNs;
        while (!closing) {
            flushOutbox(connected);
            ByteBuffer frame = connected.receive(Math.max(0, nextTickNs - System.nanoTime()));
            if (frame != null) {
                take(MessageCodec.decode(frame));
            }
            long nowNs = System.nanoTime();
            if (nowNs - nextTickNs >= 0) {
                nextTickNs = nowNs + tickNs;
                if (!tick(nowNs)) {
                    break;
                }
            } else if (reportWanted) {
                report();
            }
        }
        report();
        flushOutbox(connected);
        connected.send(MessageCodec.encode(new Message.Goodbye()), SEND_TIMEOUT_NS);
    }

    private void flushOutbox(FramedSocket connected) throws IOException {
        for (Message message = outbox.poll(); message != null; message = outbox.poll()) {
            connected.send(MessageCodec.encode(message), SEND_TIMEOUT_NS);
            lastSentNs = System.nanoTime();
        }
    }

    private void take(Message message) throws IOException {
        if (message instanceof Message.Granted granted) {
            granted(granted.requestId(), granted.grant());
        } else if (message instanceof Message.Refused refused) {
            refused(refused.requestId(), refused.refusal());
        } else if (message instanceof Message.Revoke revoke) {
            HeldGrant grant = grants.get(revoke.grantId());
            if (grant == null) {
                outbox.add(new Message.Revoked(revoke.grantId()));
            } else {
                ClientFigures.figures().increment(Figure.CLIENT_GRANTS_REVOKED);
                grant.end(HeldGrant.End.REVOKED);
            }
        } else if (message instanceof Message.Renewed renewed) {
            renewed(renewed.leases());
        } else {
            throw new MalformedMessageException("a DataNode that speaks as a client");
        }
    }

    private void granted(long requestId, Grant grant) {
        PendingAsk ask = asks.remove(requestId);
        SlotTable known = table;
        Path directory = links;
        if (ask == null || known == null || directory == null || !ask.isFor(grant)) {
            outbox.add(new Message.Release(List.of(grant.grantId())));
            if (ask != null) {
                ask.fail(Figure.CLIENT_FALLBACK_FAILED);
            }
            return;
        }
        try {
            ExtentFile file = ExtentFile.open(
                    directory.resolve(grant.linkName()), grant.descriptor().lengthBytes(), Access.READ);
            HeldGrant held = new HeldGrant(
                    ask.key(), grant, ask.askedNs(), known, file, limits, this::grantEnded, this::reportSoon);
            grants.put(grant.grantId(), held);
            outbox.add(new Message.Opened(grant.grantId()));
            ClientFigures.figures().increment(Figure.CLIENT_GRANTS_GIVEN);
            if (!ask.succeed(held)) {
                held.end(HeldGrant.End.RELEASED);
            }
        } catch (IOException e) {
            LOG.debug("Cannot open the extent of {}", grant.descriptor().block(), e);
            outbox.add(new Message.Release(List.of(grant.grantId())));
            ask.fail(Figure.CLIENT_FALLBACK_UNREACHABLE);
        }
    }

    private void refused(long requestId, Refusal refusal) {
        PendingAsk ask = asks.remove(requestId);
        if (ask != null) {
            LOG.debug("{} refused {}: {}", socketPath, ask.key().block(), refusal);
            ask.fail(Figure.CLIENT_FALLBACK_REFUSED);
        }
    }

    private void renewed(List<Message.Lease> leases) {
        for (Message.Lease lease : leases) {
            HeldGrant grant = grants.get(lease.grantId());
            if (grant != null) {
                grant.renewable = lease.leaseMs() > 0;
                if (grant.renewable) {
                    // Counted from when it was asked for, which is before the DataNode counted.
                    grant.extendLease(renewAskedNs + TimeUnit.MILLISECONDS.toNanos(lease.leaseMs()));
                }
            }
        }
        renewAsked = false;
    }

    /** Whether the connection is still worth having. */
    private boolean tick(long nowNs) {
        report();
        List<Long> renew = new ArrayList<>();
        List<HeldGrant> unused = new ArrayList<>();
        for (HeldGrant grant : grants.values()) {
            if (grant.takeUsed()) {
                grant.lastUsedNs = nowNs;
            } else {
                unused.add(grant);
            }
            long leftMs = grant.leaseLeftMs(nowNs);
            boolean idle = nowNs - grant.lastUsedNs > TimeUnit.MILLISECONDS.toNanos(settings.grantIdleMs());
            if (leftMs <= 0 || idle) {
                grant.end(HeldGrant.End.RELEASED);
            } else if (grant.renewable && leftMs < grant.leaseMs() / 2 && renew.size() < MessageCodec.MAX_LIST) {
                renew.add(grant.id());
            }
        }
        if (!renew.isEmpty() && !renewAsked) {
            renewAsked = true;
            renewAskedNs = nowNs;
            outbox.add(new Message.Renew(renew));
        }
        makeRoom(unused);
        if (nowNs - lastSentNs > KEEP_ALIVE_NS) {
            outbox.add(new Message.Report(List.of()));
        }
        return beats(nowNs) && (nowNs - lastUsedNs < UNUSED_NS || !grants.isEmpty());
    }

    /** Near the limit, gives back an eighth: those that were not used for longest. */
    private void makeRoom(List<HeldGrant> unused) {
        if (grants.size() > settings.grantsMax() - settings.grantsMax() / 8) {
            unused.sort(Comparator.comparingLong(grant -> grant.lastUsedNs));
            unused.stream().limit(settings.grantsMax() / 8 + 1L).forEach(grant -> grant.end(HeldGrant.End.RELEASED));
        }
    }

    private boolean beats(long nowNs) {
        SlotTable known = table;
        long beat = known == null ? 0 : known.heartbeat();
        if (beat == 0 || beat != heartbeat) {
            heartbeat = beat;
            heartbeatSeenNs = nowNs;
        }
        return nowNs - heartbeatSeenNs < SILENT_HEART_NS;
    }

    private void report() {
        reportWanted = false;
        List<ReadReport> reports = new ArrayList<>();
        for (HeldGrant grant : grants.values()) {
            ReadReport report = grant.takeReport();
            if (report != null) {
                reports.add(report);
                if (reports.size() == MessageCodec.MAX_LIST) {
                    sendReports(reports);
                    reports = new ArrayList<>();
                }
            }
        }
        if (!reports.isEmpty()) {
            sendReports(reports);
        }
    }

    private void sendReports(List<ReadReport> reports) {
        outbox.add(new Message.Report(reports));
        for (ReadReport report : reports) {
            ClientFigures.figures().add(Figure.CLIENT_REPORTED_READS, report.reads());
            ClientFigures.figures().add(Figure.CLIENT_REPORTED_BYTES, report.bytes());
        }
    }

    /** From whichever thread ended the grant's last read. */
    private void grantEnded(HeldGrant grant, HeldGrant.End how) {
        grants.remove(grant.id());
        forget.ended(grant, how);
        ReadReport report = grant.takeReport();
        if (how == HeldGrant.End.LOST || ended) {
            if (report != null) {
                ClientFigures.figures().add(Figure.CLIENT_UNREPORTED_BYTES, report.bytes());
            }
            return;
        }
        if (report != null) {
            sendReports(List.of(report));
        }
        post(how == HeldGrant.End.REVOKED ? new Message.Revoked(grant.id()) : new Message.Release(List.of(grant.id())));
    }
}
