package io.terrace.fs;

import io.terrace.channel.Access;
import io.terrace.channel.BlockKey;
import io.terrace.channel.ChannelException;
import io.terrace.channel.CheckedRegion;
import io.terrace.channel.Completion.Status;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.RegionKey;
import io.terrace.channel.SlotTable;
import io.terrace.channel.tcp.CorruptBytesException;
import io.terrace.channel.tcp.ResidentBlocks;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.tcp.TcpRegion;
import io.terrace.channel.verbs.VerbsRegion;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of one DataNode, reached over tcp: one connection for the whole process, and the grants it has over it.
 *
 * <p>Whether a block is there is known from what the DataNode tells on the connection. Trouble makes this pause, for
 * longer each time: a DataNode that is slow or dead costs one deadline, then nothing. Thread-safe.
 */
final class RemoteNode {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteNode.class);
    private static final long NEWS_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long REFUSED_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    /** A grant whose lease is about to end is not used for something new. */
    private static final long LEASE_MARGIN_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int MAX_GRANTS = 1024;
    private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(1);

    private final String uuid;
    private final InetSocketAddress address;
    private final RemoteSettings settings;
    private final String clientName;
    private final Figures figures;
    private final Map<RemoteGrant.Key, RemoteGrant> grants = new ConcurrentHashMap<>();
    private final Map<BlockKey, Long> refusedUntilNs = new ConcurrentHashMap<>();

    /** Held by who connects or asks: others read on or go to stock HDFS. */
    private final ReentrantLock asking = new ReentrantLock();

    private volatile @Nullable TcpLink link;

    /** By RDMA, where the DataNode says that it is. */
    private volatile @Nullable VerbsPeer verbs;

    private volatile long pausedUntilNs;
    private volatile long newsNs;
    private volatile long reportedNs = System.nanoTime();
    private volatile long usedNs = System.nanoTime();
    private volatile int failures;
    private long lastRequest;

    RemoteNode(String uuid, InetSocketAddress address, RemoteSettings settings, String clientName, Figures figures) {
        this.uuid = uuid;
        this.address = address;
        this.settings = settings;
        this.clientName = clientName;
        this.figures = figures;
        this.pausedUntilNs = System.nanoTime();
    }

    /** Whether the DataNode says that it has the block; connects when there is no connection yet. */
    boolean has(BlockKey block) {
        long nowNs = System.nanoTime();
        usedNs = nowNs;
        TcpLink present = connected(nowNs);
        if (present == null) {
            return false;
        }
        if (nowNs - newsNs > NEWS_NS) {
            newsNs = nowNs;
            present.hearNews();
        }
        ResidentBlocks resident = present.resident();
        if (!resident.contains(SlotTable.fingerprint(resident.fingerprintKey(), block))) {
            return false;
        }
        Long refused = refusedUntilNs.isEmpty() ? null : refusedUntilNs.get(block);
        return refused == null || refused - nowNs <= 0;
    }

    /** A grant that covers so many bytes, held already or asked for; null when there is none in time. */
    @Nullable
    RemoteGrant grant(RemoteGrant.Key key, byte[] token, long visibleBytes) {
        long nowNs = System.nanoTime();
        RemoteGrant held = grants.get(key);
        if (held == null || !held.holds(nowNs + LEASE_MARGIN_NS)) {
            held = ask(key, token);
        }
        return held != null && held.region().lengthBytes() >= visibleBytes ? held : null;
    }

    /** Tells that a read was answered: the next trouble is the first again. */
    void succeeded() {
        if (verbs != null) {
            long nowNs = System.nanoTime();
            if (nowNs - reportedNs > REPORT_NS) {
                reportedNs = nowNs;
                report(nowNs);
            }
        }
        if (failures != 0) {
            failures = 0;
        }
    }

    /** Tells what became of a read. */
    void failed(RemoteGrant grant, Exception why) {
        if (isInterrupt(why)) {
            return;
        }
        grants.remove(grant.key(), grant);
        if (why instanceof CorruptBytesException) {
            figures.increment(Figure.CLIENT_REMOTE_CORRUPT);
            LOG.warn("{} from the memory of {} does not match its checksums", grant.key(), address, why);
            refuse(grant.key().block());
        } else if (why instanceof ChannelException channel && channel.status() == Status.NO_ACCESS) {
            LOG.debug("The grant of {} at {} has ended", grant.key(), address);
            grant.region().close();
        } else {
            pause(grant.link(), why);
        }
    }

    long usedNs() {
        return usedNs;
    }

    boolean isConnected() {
        TcpLink present = link;
        return present != null && !present.hasEnded();
    }

    void close() {
        TcpLink present = link;
        link = null;
        grants.clear();
        if (present != null) {
            close(present);
        }
        VerbsPeer peer = verbs;
        verbs = null;
        if (peer != null) {
            peer.close();
        }
    }

    private @Nullable TcpLink connected(long nowNs) {
        TcpLink present = link;
        if (present != null && !present.hasEnded()) {
            return present;
        }
        if (pausedUntilNs - nowNs > 0 || !asking.tryLock()) {
            return null;
        }
        try {
            present = link;
            if (present != null && !present.hasEnded()) {
                return present;
            }
            grants.clear();
            TcpLink fresh = connect();
            link = fresh;
            return fresh;
        } catch (IOException | RuntimeException e) {
            pause(null, e);
            return null;
        } finally {
            asking.unlock();
        }
    }

    private TcpLink connect() throws IOException {
        long deadlineNs = System.nanoTime() + settings.connectTimeoutNs();
        TcpLink fresh = TcpLink.connect(address, TcpLimits.DEFAULT, LibraryVerifier::of, settings.connectTimeoutNs());
        try {
            send(fresh, new Message.Hello(clientName), deadlineNs);
            Message answer = receive(fresh, deadlineNs);
            if (!(answer instanceof Message.Welcome welcome)
                    || !welcome.datanode().equals(uuid)) {
                throw new MalformedMessageException(address + " is not DataNode " + uuid);
            }
            verbs = VerbsPeer.at(welcome.links(), settings);
            // What it has comes right behind the welcome.
            while (fresh.resident() == ResidentBlocks.NONE && deadlineNs - System.nanoTime() > 0 && !fresh.hasEnded()) {
                ByteBuffer unused = fresh.receive(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return fresh;
        } catch (IOException | RuntimeException e) {
            close(fresh);
            throw e;
        }
    }

    private @Nullable RemoteGrant ask(RemoteGrant.Key key, byte[] token) {
        TcpLink present = link;
        long askedNs = System.nanoTime();
        long deadlineNs = askedNs + settings.timeoutNs();
        try {
            if (present == null || !asking.tryLock(settings.timeoutNs(), TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        try {
            RemoteGrant meanwhile = grants.get(key);
            if (meanwhile != null && meanwhile.holds(askedNs + LEASE_MARGIN_NS)) {
                return meanwhile;
            }
            RemoteGrant fresh = ask(present, key, token, askedNs, deadlineNs);
            if (fresh != null) {
                keep(fresh);
            }
            return fresh;
        } catch (IOException | RuntimeException e) {
            if (!isInterrupt(e)) {
                pause(present, e);
            }
            return null;
        } finally {
            asking.unlock();
        }
    }

    /** The reader was told to stop; nobody else is to blame. */
    private static boolean isInterrupt(Exception e) {
        return e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
    }

    private @Nullable RemoteGrant ask(TcpLink present, RemoteGrant.Key key, byte[] token, long askedNs, long deadlineNs)
            throws IOException {
        long request = ++lastRequest;
        send(present, new Message.Ask(request, new GrantRequest(key.block(), token, false)), deadlineNs);
        while (true) {
            Message answer = receive(present, deadlineNs);
            if (answer instanceof Message.Granted granted && granted.requestId() == request) {
                figures.increment(Figure.CLIENT_REMOTE_GRANTS);
                Grant grant = granted.grant();
                if (!grant.descriptor().block().equals(key.block())) {
                    throw new MalformedMessageException("a grant of another block than asked for");
                }
                RegionKey region = RegionKey.of(
                        grant.linkName(),
                        grant.descriptor().address(),
                        grant.descriptor().lengthBytes(),
                        Access.READ);
                long endsNs = askedNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
                return new RemoteGrant(key, grant.grantId(), present, attach(present, region, deadlineNs), endsNs);
            }
            if (answer instanceof Message.Refused refused && refused.requestId() == request) {
                figures.increment(Figure.CLIENT_REMOTE_REFUSED);
                LOG.debug("{} refused {}: {}", address, key, refused.refusal());
                refuse(key.block());
                return null;
            }
            // The late answer to somebody who has given up: that grant ends with its lease.
        }
    }

    /** The range over tcp, and by RDMA where that leads there. */
    private CheckedRegion attach(TcpLink present, RegionKey key, long deadlineNs) throws IOException {
        TcpRegion tcp = present.attach(key, deadlineNs - System.nanoTime());
        VerbsPeer peer = verbs;
        VerbsRegion region = peer == null ? null : peer.attach(key, settings.timeoutNs());
        return region != null && region.isUsable() ? new VerbsFirst(region, tcp, figures) : tcp;
    }

    /** Tells the DataNode what was read without its doing. */
    private void report(long nowNs) {
        TcpLink present = link;
        List<ReadReport> reports = new ArrayList<>();
        for (RemoteGrant grant : grants.values()) {
            if (grant.link() == present && grant.region() instanceof VerbsFirst region) {
                long reads = region.takeReads();
                long bytes = region.takeBytes();
                if (reads > 0 || bytes > 0) {
                    reports.add(new ReadReport(grant.grantId(), reads, bytes));
                }
            }
        }
        if (present == null || reports.isEmpty()) {
            return;
        }
        try {
            send(present, new Message.Report(reports), nowNs + settings.timeoutNs());
        } catch (IOException e) {
            LOG.debug("A report to {} is lost", address, e);
        }
    }

    private void keep(RemoteGrant grant) throws IOException {
        if (grants.size() >= MAX_GRANTS) {
            long nowNs = System.nanoTime();
            for (RemoteGrant other : grants.values()) {
                if (!other.holds(nowNs) || grants.size() >= MAX_GRANTS) {
                    grants.remove(other.key(), other);
                    other.region().close();
                    send(grant.link(), new Message.Release(List.of(other.grantId())), nowNs + settings.timeoutNs());
                }
            }
        }
        RemoteGrant before = grants.put(grant.key(), grant);
        if (before != null) {
            before.region().close();
        }
    }

    private void refuse(BlockKey block) {
        if (refusedUntilNs.size() >= MAX_GRANTS) {
            refusedUntilNs.clear();
        }
        refusedUntilNs.put(block, System.nanoTime() + REFUSED_PAUSE_NS);
    }

    private void pause(@Nullable TcpLink of, Exception why) {
        if (of != null && of != link) {
            // Told by others already.
            return;
        }
        figures.increment(Figure.CLIENT_REMOTE_UNREACHABLE);
        int failed = Math.min(failures + 1, 30);
        failures = failed;
        long pauseNs = Math.min(LONGEST_PAUSE_NS, FIRST_PAUSE_NS << Math.min(6, failed - 1));
        pausedUntilNs = System.nanoTime() + pauseNs;
        LOG.debug("No tcp channel to DataNode {} at {} for {} ms", uuid, address, pauseNs / 1_000_000, why);
        close();
    }

    private static void send(TcpLink to, Message message, long deadlineNs) throws IOException {
        to.send(MessageCodec.encode(message).position(Integer.BYTES), deadlineNs - System.nanoTime());
    }

    private static Message receive(TcpLink from, long deadlineNs) throws IOException {
        while (true) {
            ByteBuffer message = from.receive(Math.max(1, deadlineNs - System.nanoTime()));
            if (message != null) {
                return MessageCodec.decode(message);
            }
            if (deadlineNs - System.nanoTime() <= 0) {
                throw new SocketTimeoutException("no answer in time");
            }
        }
    }

    private static void close(TcpLink link) {
        try {
            link.close();
        } catch (IOException e) {
            LOG.debug("Closing a tcp channel", e);
        }
    }
}
