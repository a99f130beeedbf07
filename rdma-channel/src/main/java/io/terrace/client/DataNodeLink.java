package io.terrace.client;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.shm.ExtentFile;
import io.terrace.channel.shm.FramedSocket;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
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
    /** A DataNode writes its heartbeat into the slot table every second; one that stopped is frozen or dead. */
    private static final long HEARTBEAT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int MAX_WAITING_ASKS = 256;

    private final Path socketPath;
    private final ClientConfig.Local settings;
    private final ReadResources limits;
    private final String clientName;
    private final LocalGrant.EndListener endListener;
    private final Thread thread;
    private final CountDownLatch opened = new CountDownLatch(1);
    private final Map<Long, PendingGrant<LocalGrant>> asks = new ConcurrentHashMap<>();
    private final AtomicLong lastRequest = new AtomicLong();
    private final Queue<Message> outbox = new ConcurrentLinkedQueue<>();

    private final LocalGrantTable grants;

    private volatile @Nullable SlotTable table;
    private volatile @Nullable FramedSocket socket;
    private volatile boolean ended;

    /** Why no DataNode welcomed this link; null where one did, or nothing is known yet. */
    private volatile LinkAttempts.@Nullable Fault fault;

    private volatile boolean closing;
    private volatile boolean reportWanted;
    private volatile long lastUsedNs = System.nanoTime();
    private long lastSentNs = System.nanoTime();
    private @Nullable Path links;
    private long heartbeat;
    private long heartbeatSeenNs;

    /** @param endListener is told of every grant that ended, from any thread */
    DataNodeLink(
            Path socketPath,
            ClientConfig.Local settings,
            ReadResources limits,
            String clientName,
            IntSupplier heldByProcess,
            LocalGrant.EndListener endListener) {
        this.socketPath = socketPath;
        this.settings = settings;
        this.limits = limits;
        this.clientName = clientName;
        this.endListener = endListener;
        this.grants = new LocalGrantTable(settings, heldByProcess, outbox::add);
        this.thread = DaemonThreads.make("terrace-" + socketPath.getFileName(), this::run);
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

    LinkAttempts.@Nullable Fault fault() {
        return fault;
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
    boolean isResident(String pool, long blockId, long generationStamp) {
        SlotTable known = table;
        return known != null && !ended && known.lookup(pool, blockId, generationStamp) >= 0;
    }

    void touch(long nowNs) {
        lastUsedNs = nowNs;
    }

    /** Asks for a grant; the answer is told to who waits for it. */
    void ask(PendingGrant<LocalGrant> ask) {
        if (asks.size() >= MAX_WAITING_ASKS) {
            ask.fail(Metric.CLIENT_FALLBACK_LIMIT);
            return;
        }
        long requestId = lastRequest.incrementAndGet();
        asks.put(requestId, ask);
        if (ended) {
            asks.remove(requestId);
            ask.fail(Metric.CLIENT_FALLBACK_NO_DATANODE);
            return;
        }
        ClientMetrics.metricRegistry().increment(Metric.CLIENT_GRANTS_ASKED);
        post(new Message.Ask(
                requestId, new GrantRequest(ask.key().block(), ask.key().token(), false)));
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
            exchangeMessages(connected);
        } catch (IOException | RuntimeException e) {
            LOG.debug("The connection to {} ended", socketPath, e);
            if (table == null && !closing) {
                fault = LinkAttempts.Fault.of(e);
            }
        } finally {
            ended = true;
            opened.countDown();
            grants.endAll(LocalGrant.End.LOST);
            discardOutbox();
            asks.values().forEach(ask -> ask.fail(Metric.CLIENT_FALLBACK_NO_DATANODE));
            asks.clear();
        }
    }

    private FramedSocket connect() throws IOException {
        // Here, not on a reader's thread: it may have to ask for the owner's name, which may take long.
        SocketDirectory.check(Objects.requireNonNull(socketPath.getParent()))
                .requireOwner(settings.owners(), SocketDirectory.ownUid());
        FramedSocket connected = FramedSocket.connect(UnixDomainSocketAddress.of(socketPath), HELLO_TIMEOUT_NS);
        try {
            String user = connected.peerUser();
            String owner = SocketDirectory.ownerOf(socketPath).getName();
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
        if (!(MessageCodec.decode(firstFrame(connected)) instanceof Message.Welcome welcome)) {
            throw new MalformedMessageException("no welcome");
        }
        SlotTable opened = SlotTable.open(Path.of(welcome.slotTable()));
        if (opened.incarnation() != welcome.incarnation()) {
            throw new IOException(welcome.slotTable() + " is of another DataNode process");
        }
        links = Path.of(welcome.links());
        return opened;
    }

    private ByteBuffer firstFrame(FramedSocket connected) throws IOException {
        long deadlineNs = System.nanoTime() + HELLO_TIMEOUT_NS;
        // Other threads wake the socket when there is something to send, perhaps before the welcome is here.
        for (long leftNs = HELLO_TIMEOUT_NS; leftNs > 0 && !closing; leftNs = deadlineNs - System.nanoTime()) {
            ByteBuffer frame = connected.receive(leftNs);
            if (frame != null) {
                return frame;
            }
        }
        throw new SocketTimeoutException("no welcome");
    }

    private void exchangeMessages(FramedSocket connected) throws IOException {
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
        // Removed only once it is sent: reports that could not be sent are counted at the end.
        for (Message message = outbox.peek(); message != null; message = outbox.peek()) {
            connected.send(MessageCodec.encode(message), SEND_TIMEOUT_NS);
            outbox.remove();
            lastSentNs = System.nanoTime();
            if (message instanceof Message.Report report) {
                for (ReadReport each : report.reports()) {
                    ClientMetrics.metricRegistry().add(Metric.CLIENT_REPORTED_READS, each.reads());
                    ClientMetrics.metricRegistry().add(Metric.CLIENT_REPORTED_BYTES, each.bytes());
                }
            }
        }
    }

    private void take(Message message) throws IOException {
        if (message instanceof Message.Granted granted) {
            granted(granted.requestId(), granted.grant());
        } else if (message instanceof Message.Refused refused) {
            refused(refused.requestId(), refused.refusal());
        } else if (message instanceof Message.Revoke revoke) {
            LocalGrant grant = grants.get(revoke.grantId());
            if (grant == null) {
                outbox.add(new Message.Revoked(revoke.grantId()));
            } else {
                ClientMetrics.metricRegistry().increment(Metric.CLIENT_GRANTS_REVOKED);
                grant.end(LocalGrant.End.REVOKED);
            }
        } else if (message instanceof Message.Renewed renewed) {
            grants.renewed(renewed.leases());
        } else {
            throw new MalformedMessageException("a DataNode sent a client's message");
        }
    }

    private void granted(long requestId, Grant grant) {
        PendingGrant<LocalGrant> ask = asks.remove(requestId);
        SlotTable known = table;
        Path directory = links;
        if (ask == null
                || known == null
                || directory == null
                || !grant.descriptor().block().equals(ask.key().block())) {
            outbox.add(new Message.Release(List.of(grant.grantId())));
            if (ask != null) {
                ask.fail(Metric.CLIENT_FALLBACK_FAILED);
            }
            return;
        }
        try {
            ExtentFile file = ExtentFile.open(
                    directory.resolve(grant.linkName()), grant.descriptor().lengthBytes());
            LocalGrant held = new LocalGrant(
                    ask.key(), grant, ask.askedNs(), known, file, limits, this::grantEnded, this::reportSoon);
            grants.enter(held);
            outbox.add(new Message.Opened(grant.grantId()));
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_GRANTS_GIVEN);
            if (!ask.succeed(held)) {
                held.end(LocalGrant.End.RELEASED);
            }
        } catch (IOException e) {
            LOG.debug("Cannot open the extent of {}", grant.descriptor().block(), e);
            outbox.add(new Message.Release(List.of(grant.grantId())));
            ask.fail(Metric.CLIENT_FALLBACK_UNREACHABLE);
        }
    }

    private void refused(long requestId, Refusal refusal) {
        PendingGrant<LocalGrant> ask = asks.remove(requestId);
        if (ask != null) {
            LOG.debug("{} refused {}: {}", socketPath, ask.key().block(), refusal);
            ask.fail(Metric.CLIENT_FALLBACK_REFUSED);
        }
    }

    /** Whether the connection is still worth having. */
    private boolean tick(long nowNs) {
        report();
        grants.maintain(nowNs);
        if (nowNs - lastSentNs > KEEP_ALIVE_NS) {
            outbox.add(new Message.Report(List.of()));
        }
        return isAlive(nowNs) && (nowNs - lastUsedNs < UNUSED_NS || !grants.isEmpty());
    }

    private boolean isAlive(long nowNs) {
        SlotTable known = table;
        long latest = known == null ? 0 : known.heartbeat();
        if (latest == 0 || latest != heartbeat) {
            heartbeat = latest;
            heartbeatSeenNs = nowNs;
        }
        return nowNs - heartbeatSeenNs < HEARTBEAT_TIMEOUT_NS;
    }

    private void report() {
        reportWanted = false;
        grants.report();
    }

    /** From whichever thread ended the grant's last read. */
    private void grantEnded(LocalGrant grant, LocalGrant.End how) {
        grants.leave(grant);
        endListener.ended(grant, how);
        ReadReport report = grant.takeReport();
        if (report != null) {
            outbox.add(new Message.Report(List.of(report)));
        }
        post(
                how == LocalGrant.End.REVOKED
                        ? new Message.Revoked(grant.id())
                        : new Message.Release(List.of(grant.id())));
        if (ended) {
            discardOutbox();
        }
    }

    /** Nobody can be told any more; what was read and not reported is counted. */
    private void discardOutbox() {
        for (Message message = outbox.poll(); message != null; message = outbox.poll()) {
            if (message instanceof Message.Report report) {
                long bytes =
                        report.reports().stream().mapToLong(ReadReport::bytes).sum();
                ClientMetrics.metricRegistry().add(Metric.CLIENT_UNREPORTED_BYTES, bytes);
            }
        }
    }
}
