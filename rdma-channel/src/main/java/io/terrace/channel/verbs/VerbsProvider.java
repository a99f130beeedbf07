package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaVerbs;
import io.terrace.channel.verbs.device.CompletionChannel;
import io.terrace.channel.verbs.device.ConnectSequence;
import io.terrace.channel.verbs.device.ConnectionEvents;
import io.terrace.channel.verbs.device.DeviceCounters;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.rdmacore.RdmaCore;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaches the memory of a process on a host with an RDMA device, from one. Addresses are internet sockets of the device's
 * network. Setting up a connection takes milliseconds: keep links and share them. Thread-safe.
 */
public final class VerbsProvider implements Closeable {
    static final Logger LOG = LoggerFactory.getLogger(VerbsProvider.class);

    private final VerbsLimits limits;
    private final boolean paging;
    private final DeviceCounters deviceCounters = new DeviceCounters();
    private final RdmaCm cm;
    private final RdmaVerbs verbs;
    private final ConnectionEvents events;
    private final Map<Integer, ProtectionDomain> domains = new HashMap<>();

    VerbsProvider(VerbsLimits limits, boolean paging) throws IOException {
        this.limits = limits;
        this.paging = paging;
        this.cm = RdmaCm.open();
        this.verbs = RdmaVerbs.open();
        this.events = new ConnectionEvents(cm);
    }

    /**
     * Finds out whether this process has RDMA, and how.
     *
     * @throws IOException that says what is missing: a class, a library, a device, a right
     */
    public static VerbsProvider open(VerbsLimits limits, VerbsOptions choices) throws IOException {
        try {
            if (!choices.libdisni()) {
                RdmaCore.install();
            } else if (RdmaCore.isInstalled()) {
                throw new IOException("rdma-core's libraries are in use in this process already, libdisni cannot be");
            }
            if (choices.paging() && !choices.mayPage()) {
                LOG.warn("On-demand paging is not used with libdisni: what is registered is pinned");
            }
            return new VerbsProvider(limits, choices.mayPage());
        } catch (LinkageError e) {
            String needed = choices.libdisni()
                    ? "DiSNI's own library (libdisni) has to be built and be on java.library.path: "
                    : "RDMA verbs need disni, jna, libibverbs and librdmacm: ";
            throw new IOException(needed + e.getMessage(), e);
        }
    }

    /** Listens for those who attach ranges and send messages. */
    VerbsListener listen(SocketAddress where) throws IOException {
        return listen(where, true, () -> {});
    }

    /**
     * Listens for those who attach ranges and say nothing else; a message costs its sender the connection.
     *
     * @param refused told of each connection that is not taken
     */
    VerbsListener serve(SocketAddress where, Runnable refused) throws IOException {
        return listen(where, false, refused);
    }

    private VerbsListener listen(SocketAddress where, boolean messages, Runnable refused) throws IOException {
        VerbsListener listener = new VerbsListener(this, cm, events, where, limits, messages, refused);
        listener.start();
        return listener;
    }

    /**
     * Connects to a listener.
     *
     * @throws IOException when nobody listens there, or not in time
     */
    public VerbsLink connect(SocketAddress where, long timeoutNs) throws IOException {
        ConnectSequence connectSequence = new ConnectSequence(cm, events, timeoutNs);
        CompletionChannel queue = null;
        QueuePair pair = null;
        VerbsLink link = null;
        try {
            connectSequence.resolve(where);
            RdmaCmId id = connectSequence.id();
            ProtectionDomain domain = domain(id);
            int requests = OneSidedQueue.requests(limits.operations());
            queue = CompletionChannel.create(verbs, domain.device(), 2 * QueuePair.BUFFERS + requests);
            pair = new QueuePair(domain, cm, events, id, queue.queue(), 0, requests);
            link = new VerbsLink(domain, pair, queue, null, limits.operations(), true);
            connectSequence.connect(where);
            VerbsLink connected = link;
            events.tell(id, (type, which) -> {
                if (type == EventType.RDMA_CM_EVENT_DISCONNECTED || type == EventType.RDMA_CM_EVENT_DEVICE_REMOVAL) {
                    closeEnded(connected);
                }
            });
            if (connectSequence.isOverAlready()) {
                throw new IOException(where + " has disconnected");
            }
            return connected;
        } catch (IOException | RuntimeException e) {
            connectSequence.forget();
            if (link != null) {
                link.close();
            } else {
                if (pair != null) {
                    pair.destroy();
                }
                if (queue != null) {
                    queue.close();
                }
                cm.destroyCmId(connectSequence.id());
            }
            throw e;
        }
    }

    /** A link whose other side is gone holds nothing until its owner looks at it again. */
    private static void closeEnded(VerbsLink link) {
        try {
            link.close();
        } catch (IOException e) {
            LOG.warn("A connection that has ended cannot be closed", e);
        }
    }

    /** What this process holds of its devices. */
    public DeviceCounters deviceCounters() {
        return deviceCounters;
    }

    /** Connections, and listeners, that have not been closed. */
    int watched() {
        return events.watched();
    }

    /** The device that a connection goes over. */
    ProtectionDomain domain(RdmaCmId id) throws IOException {
        IbvContext device = id.getVerbs();
        synchronized (domains) {
            ProtectionDomain known = domains.get(device.getCmd_fd());
            if (known == null) {
                known = new ProtectionDomain(verbs, device, deviceCounters, paging);
                domains.put(device.getCmd_fd(), known);
            }
            return known;
        }
    }

    /** The device was removed. One that comes is another device, also where it has the same descriptor. */
    void forget(ProtectionDomain domain) throws IOException {
        synchronized (domains) {
            domains.values().remove(domain);
        }
        domain.close();
    }

    /** After all links and listeners have been closed. */
    @Override
    public void close() throws IOException {
        List<Closeable> steps = new ArrayList<>();
        steps.add(events);
        synchronized (domains) {
            steps.addAll(domains.values());
            domains.clear();
        }
        CloseAll.all(steps);
    }
}
