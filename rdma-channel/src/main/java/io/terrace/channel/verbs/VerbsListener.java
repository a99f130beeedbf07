package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.CompletionAgent;
import io.terrace.channel.verbs.device.CompletionChannel;
import io.terrace.channel.verbs.device.ConnectSequence;
import io.terrace.channel.verbs.device.ConnectionEvents;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.common.CloseAll;
import io.terrace.common.FairQuota;
import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The owner's end: ranges that are mapped and pinned, and one thread that answers who shows a key. Reads and writes of
 * ranges need no thread here. Thread-safe.
 */
public final class VerbsListener implements Closeable {
    private static final int BACKLOG = 128;

    /** A client that is refused may come again at any time. */
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(1);

    private final RdmaCm cm;
    private final ConnectionEvents events;
    private final ProtectionDomain domain;
    private final VerbsLimits limits;
    private final RdmaCmId listening;
    private final SocketAddress address;
    private final RangeRegistry ranges;
    private final CompletionChannel completions;
    private final boolean messages;
    private final AddressBlocklist heldOff = new AddressBlocklist();
    private final LogThrottle logThrottle = new LogThrottle(LOG_NS);
    private final Map<Long, Session> sessions = new ConcurrentHashMap<>();

    /** Whoever can connect takes a place before he shows anything: one address leaves some for others. */
    private final FairQuota<InetAddress> places;

    private final Runnable refused;
    private final BlockingQueue<VerbsLink> accepted;
    private final CompletionAgent thread;
    private long lastSession;
    private volatile boolean closed;
    private volatile boolean removed;

    private record Session(long number, InetAddress from, VerbsLink link) {}

    /**
     * Listens, and answers nobody yet.
     *
     * @param messages whether somebody accepts connections and takes messages; if not, they are for attaching only
     * @param refused told of each connection that is not taken
     */
    VerbsListener(
            VerbsProvider provider,
            RdmaCm cm,
            ConnectionEvents events,
            SocketAddress where,
            VerbsLimits limits,
            boolean messages,
            Runnable refused)
            throws IOException {
        this.messages = messages;
        this.refused = refused;
        this.places = new FairQuota<>(limits.sessions());
        this.cm = cm;
        this.events = events;
        this.limits = limits;
        this.accepted = new LinkedBlockingQueue<>(limits.sessions());
        this.listening = events.open(this::take);
        Deque<Closeable> made = new ArrayDeque<>();
        made.push(() -> cm.destroyCmId(listening));
        made.push(() -> events.forget(listening));
        try {
            cm.bindAddr(listening, where);
            this.domain = provider.domain(listening);
            this.ranges = new RangeRegistry(domain, limits);
            made.push(ranges);
            this.completions = CompletionChannel.create(
                    domain.verbs(), domain.device(), 2 * QueuePair.BUFFERS * limits.sessions());
            made.push(completions);
            cm.listen(listening, BACKLOG);
            this.address = cm.getSrcAddr(listening);
            this.thread = new CompletionAgent(domain.verbs(), completions, new Answering(), "terrace-verbs-" + address);
        } catch (IOException | RuntimeException e) {
            CloseAll.after(e, made);
            throw e;
        }
    }

    void start() {
        thread.start();
    }

    public SocketAddress address() {
        return address;
    }

    /** Makes a range reachable for whoever is told the key. */
    RegionKey register(ExtentRange range, Access access) throws IOException {
        return ranges.register(range, access, ChunkChecksums.NONE);
    }

    /** Registers a range whose checksums are read along with it. */
    public RegionKey register(ExtentRange range, Access access, ChunkChecksums checksums) throws IOException {
        return ranges.register(range, access, checksums);
    }

    /**
     * Registers memory that one client may write.
     *
     * @param ended told once, when it is closed
     */
    RegisteredWindow openWindow(int bytes, Runnable ended) throws IOException {
        return ranges.openWindow(bytes, ended);
    }

    /**
     * Makes a key void and gives its registration back. Whoever still reads with the device's key loses the connection, so
     * an owner waits until the last lease and the deadline are over.
     */
    public void deregister(RegionKey key) throws IOException {
        ranges.deregister(key);
    }

    /** Unmaps what was deregistered long enough ago. */
    void endRest() throws IOException {
        ranges.endRest(System.nanoTime());
    }

    /** Makes a range invalid for whoever reads it from now on, and leaves it registered: nobody's connection ends. */
    public void voidWord(RegionKey key) {
        ranges.voidWord(key);
    }

    /** Lets one more key lead to a registered range. */
    public void admit(RegionKey key, RegionKey registered) throws IOException {
        ranges.admit(key, registered);
    }

    /** Makes a key void that {@link #admit} let in; returns whether anybody has shown it. */
    public boolean dismiss(RegionKey key) {
        return ranges.dismiss(key);
    }

    /** The next connection, or null when none came in time. */
    @Nullable
    VerbsLink accept(long timeoutNs) throws IOException {
        try {
            return accepted.poll(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    public int connections() {
        return sessions.size();
    }

    /** Whether connections are taken: false once it is closed, or the device was removed, after which it is to be closed. */
    boolean isServing() {
        return !closed && !removed;
    }

    /** Addresses that none is taken from, for a minute. */
    public int addressesHeldOff() {
        return heldOff.count(System.nanoTime());
    }

    /** Bytes of ranges that are registered. */
    public long rangeBytes() {
        return ranges.rangeBytes();
    }

    /** Ranges that are registered. */
    public int ranges() {
        return ranges.ranges();
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        // No connection is taken from here on.
        events.forget(listening);
        thread.close();
        List<Closeable> steps = new ArrayList<>();
        steps.add(() -> cm.destroyCmId(listening));
        sessions.values().forEach(session -> steps.add(session.link));
        steps.add(completions);
        steps.add(ranges);
        CloseAll.all(steps);
        sessions.clear();
    }

    /** On the thread of the connection events. */
    private synchronized void take(EventType type, RdmaCmId id) {
        if (type == EventType.RDMA_CM_EVENT_DEVICE_REMOVAL) {
            // Here it can only be noted: to close waits for this thread's events.
            removed = true;
            VerbsProvider.LOG.warn("The RDMA device of {} was removed", address);
        }
        if (type != EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
            return;
        }
        QueuePair pair = null;
        InetAddress placed = null;
        try {
            if (!isServing()) {
                throw new IOException("the listener is closed");
            }
            InetAddress from = from(id);
            if (!messages && heldOff.isHeldOff(from, System.nanoTime())) {
                throw new IOException(from + " is held off");
            }
            if (!(messages ? places.takeAny(from, 1) : places.take(from, 1))) {
                throw new IOException("too many connections, from " + from + " or in all");
            }
            placed = from;
            long number = ++lastSession;
            pair = new QueuePair(domain, cm, events, id, completions.queue(), number, OneSidedQueue.requests(1));
            VerbsLink link = new VerbsLink(domain, pair, null, ranges, 1, messages);
            Session session = new Session(number, from, link);
            sessions.put(number, session);
            placed = null;
            events.tell(id, (what, which) -> happened(session, id, what));
            cm.accept(id, ConnectSequence.parameters());
        } catch (IOException | RuntimeException | Error e) {
            refuse(id, pair);
            if (placed != null) {
                places.release(placed, 1);
            }
            refused.run();
            Long others = logThrottle.next(System.nanoTime());
            if (others != null) {
                VerbsProvider.LOG.info(
                        "A connection is refused: {} (and {} others before it)", String.valueOf(e), others);
            }
        }
    }

    private InetAddress from(RdmaCmId id) throws IOException {
        if (cm.getDstAddr(id) instanceof InetSocketAddress internet) {
            return internet.getAddress();
        }
        throw new IOException("its address is not known");
    }

    private void refuse(RdmaCmId id, @Nullable QueuePair pair) {
        try {
            Session session = pair == null ? null : sessions.remove(lastSession);
            if (session != null) {
                places.release(session.from, 1);
                session.link.close();
            } else {
                if (pair != null) {
                    pair.destroy();
                }
                cm.destroyCmId(id);
            }
        } catch (IOException e) {
            VerbsProvider.LOG.warn("A refused connection cannot be destroyed", e);
        }
        events.forget(id);
    }

    private void happened(Session session, RdmaCmId id, EventType type) {
        if (type == EventType.RDMA_CM_EVENT_ESTABLISHED) {
            if (messages && !accepted.offer(session.link)) {
                end(session);
            }
        } else {
            events.forget(id);
            end(session);
        }
    }

    private void end(Session session) {
        boolean unused = accepted.remove(session.link);
        close(session.link);
        // Last: close() waits for the session's end before it destroys the completion queue.
        boolean first = sessions.remove(session.number) != null;
        if (first) {
            places.release(session.from, 1);
        }
        if (first && !messages && !session.link.wasOfUse() && heldOff.wasUseless(session.from, System.nanoTime())) {
            VerbsProvider.LOG.warn(
                    "No RDMA connection is accepted from {} for a minute: more than {} useless ones came from there within a minute",
                    session.from,
                    AddressBlocklist.TOLERATED);
        }
    }

    private static void close(VerbsLink link) {
        try {
            link.close();
        } catch (IOException e) {
            VerbsProvider.LOG.warn("A connection cannot be closed", e);
        }
    }

    /** Whatever goes wrong with one connection, an {@link Error} too, ends that one; the others are answered all the same. */
    private final class Answering implements CompletionAgent.Handler {
        @Override
        public void completed(IbvWC completion) {
            Session session = sessions.get(QueuePair.session(completion.getWr_id()));
            if (session != null) {
                try {
                    session.link.completed(completion.getWr_id(), completion.getStatus(), completion.getByte_len());
                } catch (RuntimeException | Error e) {
                    end(session);
                    VerbsProvider.LOG.warn("Closed a connection: cannot process what it sent", e);
                }
            }
        }

        /** Finds those too whose end failed half way. */
        @Override
        public void look(long nowNs) {
            sessions.values().forEach(session -> {
                try {
                    if (session.link.hasEnded() || (!messages && session.link.isOfNoUse(nowNs))) {
                        end(session);
                    }
                } catch (RuntimeException | Error e) {
                    VerbsProvider.LOG.warn("Cannot check a connection for timeouts", e);
                }
            });
        }
    }
}
