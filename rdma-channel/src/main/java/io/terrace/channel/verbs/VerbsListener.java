package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.terrace.channel.Access;
import io.terrace.channel.Link;
import io.terrace.channel.Listener;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.tcp.Checksums;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
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
public final class VerbsListener implements Listener {
    private static final int BACKLOG = 128;

    private final RdmaCm cm;
    private final ConnectionEvents events;
    private final Domain domain;
    private final VerbsLimits limits;
    private final RdmaCmId listening;
    private final SocketAddress address;
    private final RangeBook ranges;
    private final DeviceQueue completions;
    private final boolean messages;
    private final Map<Long, VerbsLink> sessions = new ConcurrentHashMap<>();
    private final BlockingQueue<VerbsLink> accepted;
    private final CompletionThread thread;
    private long lastSession;
    private volatile boolean closed;

    /** @param messages whether somebody accepts connections and takes messages; if not, they are for attaching only */
    VerbsListener(
            VerbsProvider provider,
            RdmaCm cm,
            ConnectionEvents events,
            SocketAddress where,
            VerbsLimits limits,
            boolean messages)
            throws IOException {
        this.messages = messages;
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
            this.ranges = new RangeBook(domain, limits);
            made.push(ranges);
            this.completions =
                    DeviceQueue.create(domain.verbs(), domain.device(), 2 * QueuePair.BUFFERS * limits.sessions());
            made.push(completions);
            cm.listen(listening, BACKLOG);
            this.address = cm.getSrcAddr(listening);
            this.thread =
                    new CompletionThread(domain.verbs(), completions, new Answering(), "terrace-verbs-" + address);
        } catch (IOException | RuntimeException e) {
            Closing.after(e, made);
            throw e;
        }
    }

    void start() {
        thread.start();
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    @Override
    public RegionKey register(Range range, Access access) throws IOException {
        return ranges.register(range, access, Checksums.NONE);
    }

    /** Registers a range whose checksums are read along with it. */
    public RegionKey register(Range range, Access access, Checksums checksums) throws IOException {
        return ranges.register(range, access, checksums);
    }

    /**
     * Makes a key void and gives its registration back. Whoever still reads with the device's key loses the connection, so
     * an owner waits until the last lease and the deadline are over.
     */
    @Override
    public void deregister(RegionKey key) throws IOException {
        ranges.deregister(key);
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

    @Override
    public @Nullable Link accept(long timeoutNs) throws IOException {
        try {
            return accepted.poll(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
    }

    Domain domain() {
        return domain;
    }

    public int connections() {
        return sessions.size();
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
        steps.addAll(sessions.values());
        steps.add(completions);
        steps.add(ranges);
        Closing.all(steps);
        sessions.clear();
    }

    /** On the thread of the connection events. */
    private synchronized void take(EventType type, RdmaCmId id) {
        if (type != EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
            return;
        }
        QueuePair pair = null;
        try {
            if (closed || sessions.size() >= limits.sessions()) {
                throw new IOException(closed ? "nobody listens any more" : "too many connections");
            }
            long number = ++lastSession;
            pair = new QueuePair(domain, cm, events, id, completions.queue(), number, Operations.requests(1));
            VerbsLink session = new VerbsLink(domain, pair, null, ranges, 1, messages);
            sessions.put(number, session);
            events.tell(id, (what, which) -> happened(number, session, id, what));
            cm.accept(id, Connecting.parameters());
        } catch (IOException | RuntimeException | Error e) {
            refuse(id, pair);
            VerbsProvider.LOG.info("A connection is refused: {}", String.valueOf(e));
        }
    }

    private void refuse(RdmaCmId id, @Nullable QueuePair pair) {
        try {
            VerbsLink session = pair == null ? null : sessions.remove(lastSession);
            if (session != null) {
                session.close();
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

    private void happened(long number, VerbsLink session, RdmaCmId id, EventType type) {
        if (type == EventType.RDMA_CM_EVENT_ESTABLISHED) {
            if (messages && !accepted.offer(session)) {
                end(number, session);
            }
        } else {
            events.forget(id);
            end(number, session);
        }
    }

    private void end(long number, VerbsLink session) {
        boolean unused = accepted.remove(session);
        close(session);
        // Last: whoever closes the listener meanwhile waits for the session's end before the completion queue goes.
        sessions.remove(number);
    }

    private static void close(VerbsLink session) {
        try {
            session.close();
        } catch (IOException e) {
            VerbsProvider.LOG.warn("A connection cannot be closed", e);
        }
    }

    /** Whatever goes wrong with one connection, an {@link Error} too, ends that one; the others are answered all the same. */
    private final class Answering implements CompletionThread.Taker {
        @Override
        public void completed(IbvWC completion) {
            long number = QueuePair.session(completion.getWr_id());
            VerbsLink session = sessions.get(number);
            if (session != null) {
                try {
                    session.completed(completion.getWr_id(), completion.getStatus(), completion.getByte_len());
                } catch (RuntimeException | Error e) {
                    end(number, session);
                    VerbsProvider.LOG.warn("A connection is cut, since what it sent cannot be dealt with", e);
                }
            }
        }

        /** Finds those too whose end failed half way. */
        @Override
        public void look(long nowNs) {
            sessions.forEach((number, session) -> {
                try {
                    if (session.hasEnded() || (!messages && session.isOfNoUse(nowNs))) {
                        end(number, session);
                    }
                } catch (RuntimeException | Error e) {
                    VerbsProvider.LOG.warn("A connection cannot be looked after", e);
                }
            });
        }
    }
}
