package io.terrace.client.remote;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.ResidentBlocks;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChecksumMismatchException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantKey;
import io.terrace.common.BlockKey;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of one DataNode, reached over tcp: connections for the whole process, and the grants it has over the
 * first.
 *
 * <p>The DataNode announces its blocks on the connection. A thread of {@link ConnectQueue} makes the first one, never a
 * reader, and the blocks are not there meanwhile. Readers make those beside it. After a failure nobody connects for a pause
 * that grows each time. Thread-safe.
 */
public final class RemoteDataNode {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteDataNode.class);
    private static final long POLL_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    private final String uuid;
    private final ClientConfig.Remote settings;
    private final String clientName;
    private final MetricRegistry metricRegistry;
    private final ConnectQueue connects;
    private final LongSupplier nanoClock;

    /** From when somebody is to connect until it was tried. */
    private final AtomicBoolean connecting = new AtomicBoolean();

    /** One line says that it cannot be reached, until it was read from. */
    private final LogThrottle told = LogThrottle.once();

    /** Where to connect the next time. */
    private volatile Address address;

    private volatile @Nullable RemoteGrantCache current;
    private volatile boolean retired;
    private volatile long pausedUntilNs;
    private volatile long polledNs;
    private volatile long usedNs;
    private volatile int failures;

    private record Address(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    RemoteDataNode(
            String uuid,
            String host,
            int port,
            ClientConfig.Remote settings,
            String clientName,
            MetricRegistry metricRegistry,
            ConnectQueue connects,
            LongSupplier nanoClock) {
        this.uuid = uuid;
        this.address = new Address(host, port);
        this.settings = settings;
        this.clientName = clientName;
        this.metricRegistry = metricRegistry;
        this.connects = connects;
        this.nanoClock = nanoClock;
        this.pausedUntilNs = nanoClock.getAsLong();
        this.usedNs = pausedUntilNs;
    }

    /**
     * The NameNode said that it is there. It may have come back at another address than before: the next connection is made to
     * that. A pause stays, since readers with old answers name the old address in turn with others. What is the same, or
     * connected, allocates nothing.
     */
    void isAt(String host, int port) {
        Address known = address;
        if ((known.port() != port || !known.host().equals(host)) && !isConnected()) {
            address = new Address(host, port);
        }
    }

    /** Whether the DataNode says that it has the block; has somebody connect when there is no connection yet. */
    boolean has(BlockKey block) {
        return has(block.pool(), block.blockId(), block.generationStamp());
    }

    /** The same of what names the block. Where it is not there, nothing is allocated. */
    boolean has(String pool, long blockId, long generationStamp) {
        long nowNs = nanoClock.getAsLong();
        RemoteGrantCache present = connected(nowNs);
        if (present == null) {
            return false;
        }
        if (nowNs - polledNs > POLL_INTERVAL_NS) {
            polledNs = nowNs;
            present.connection().pollInput();
        }
        ResidentBlocks resident = present.connection().resident();
        return resident.contains(SlotTable.fingerprint(resident.fingerprintKey(), pool, blockId, generationStamp))
                && !present.isRefused(new BlockKey(pool, blockId, generationStamp), nowNs);
    }

    /** A grant that covers so many bytes, held already or asked for; null when there is none in time. */
    @Nullable
    RemoteGrant grant(GrantKey key, byte[] token, long visibleBytes) {
        RemoteGrantCache present = current;
        if (present == null) {
            return null;
        }
        try {
            RemoteGrant grant = present.of(key, token);
            long nowNs = nanoClock.getAsLong();
            if (grant != null && nowNs - usedNs > POLL_INTERVAL_NS) {
                usedNs = nowNs;
            }
            return grant != null && grant.region().lengthBytes() >= visibleBytes ? grant : null;
        } catch (IOException | RuntimeException e) {
            if (!isInterrupt(e)) {
                pause(present.connection(), e);
            }
            return null;
        }
    }

    /** Tells that a read was answered: the next problem is the first again. */
    void succeeded() {
        RemoteGrantCache present = current;
        if (present != null && present.connection().offersVerbs()) {
            present.reports().wasRead();
        }
        if (failures != 0) {
            failures = 0;
            told.reset();
        }
    }

    /** Tells what became of a read. */
    void failed(RemoteGrant grant, Exception why) {
        if (isInterrupt(why)) {
            return;
        }
        if (isOfOneOfSeveral(grant.connection(), why)) {
            LOG.debug("A connection beside others to {} has ended", address, why);
            return;
        }
        RemoteGrantCache present = current;
        if (why instanceof ChecksumMismatchException) {
            forget(present, grant);
            metricRegistry.increment(Metric.CLIENT_REMOTE_CORRUPT);
            LOG.warn("{} from the memory of {} does not match its checksums", grant.key(), address, why);
            if (present != null) {
                present.refuse(grant.key().block());
            }
        } else if (why instanceof ChannelException channel && channel.status() == TransferStatus.NO_ACCESS) {
            LOG.debug("The grant of {} at {} has ended", grant.key(), address);
            forget(present, grant);
            grant.region().close();
        } else if (grant.connection().hasEnded() || why instanceof MalformedMessageException) {
            pause(grant.connection(), why);
        } else {
            // One answer that is late says nothing of others: the connection stays, and what was granted over it.
            LOG.debug("A read of {} at {} failed", grant.key(), address, why);
            if (present != null) {
                present.refuse(grant.key().block());
            }
        }
    }

    private static void forget(@Nullable RemoteGrantCache present, RemoteGrant grant) {
        if (present != null) {
            present.forget(grant);
        }
    }

    String uuid() {
        return uuid;
    }

    /** When a block was last read here, or this was made. */
    long usedNs() {
        return usedNs;
    }

    /** Whether a connection is being made that is worth a wait: to a DataNode that did not fail yet. */
    boolean isAwaited() {
        return failures == 0 && connecting.get();
    }

    boolean isConnected() {
        RemoteGrantCache present = current;
        return present != null && !present.connection().hasEnded();
    }

    /** Tells the DataNode what it does not know of yet. */
    void report() {
        RemoteGrantCache present = current;
        if (present != null && !present.connection().hasEnded()) {
            present.reports().report();
        }
    }

    /** Is not to be used any more. */
    void retire() {
        retired = true;
        report();
        use(null);
    }

    /** Closes what it replaces: it may be another thread's. */
    private void use(@Nullable RemoteGrantCache next) {
        RemoteGrantCache before;
        synchronized (this) {
            before = current;
            current = next;
        }
        if (before != null) {
            before.connection().close();
        }
    }

    private void closeIfStill(@Nullable RemoteGrantCache present) {
        synchronized (this) {
            if (current != present) {
                return;
            }
            current = null;
        }
        if (present != null) {
            present.connection().close();
        }
    }

    private @Nullable RemoteGrantCache connected(long nowNs) {
        RemoteGrantCache present = current;
        if (present != null && !present.connection().hasEnded()) {
            return present;
        }
        if (pausedUntilNs - nowNs <= 0
                && !retired
                && !connecting.get()
                && connecting.compareAndSet(false, true)
                && !connects.add(this::connect)) {
            metricRegistry.increment(Metric.CLIENT_REMOTE_FULL);
            connecting.set(false);
        }
        return null;
    }

    private void connect() {
        try {
            if (!isConnected()) {
                use(null);
                // Here, since it may have to ask for the address.
                Address to = address;
                InetSocketAddress resolved = NetUtils.createSocketAddrForHost(to.host(), to.port());
                RemoteConnection connection = RemoteConnection.to(uuid, resolved, settings, clientName, metricRegistry);
                use(new RemoteGrantCache(connection, settings, metricRegistry));
                if (retired) {
                    use(null);
                }
            }
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            pause(null, e);
        } finally {
            connecting.set(false);
        }
    }

    /**
     * Whether only a connection beside the first has ended, as the DataNode ends one whose reader pauses for long: the first
     * is well, and so is what was granted over it.
     */
    private static boolean isOfOneOfSeveral(RemoteConnection connection, Exception why) {
        if (!(why instanceof ChannelException channel) || channel.status() != TransferStatus.DISCONNECTED) {
            return false;
        }
        connection.pollInput();
        return !connection.hasEnded();
    }

    /** The reader was told to stop; nobody else is to blame. */
    private static boolean isInterrupt(Exception e) {
        return e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
    }

    /** @param of whose problem it is, null when there was no connection */
    private void pause(@Nullable RemoteConnection of, Throwable why) {
        RemoteGrantCache present = current;
        if (of != null && (present == null || present.connection() != of)) {
            // Another thread has logged it.
            return;
        }
        metricRegistry.increment(Metric.CLIENT_REMOTE_UNREACHABLE);
        int failed = Math.min(failures + 1, 30);
        failures = failed;
        long pauseNs = Math.min(LONGEST_PAUSE_NS, FIRST_PAUSE_NS << Math.min(6, failed - 1));
        pausedUntilNs = nanoClock.getAsLong() + pauseNs;
        if (told.first()) {
            LOG.info(
                    "No tcp channel to DataNode {} at {} for now, stock HDFS serves its blocks: {}; if this stays, look there whether terrace.channel.tcp.port.offset is the same as here",
                    uuid,
                    address,
                    String.valueOf(why));
        } else {
            LOG.debug("No tcp channel to DataNode {} at {} for {} ms", uuid, address, pauseNs / 1_000_000, why);
        }
        closeIfStill(present);
    }
}
