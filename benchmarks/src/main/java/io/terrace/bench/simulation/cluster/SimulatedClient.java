package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Connection;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.ReadReport;
import io.terrace.channel.server.Peer;
import io.terrace.channel.shm.SlotTable;
import io.terrace.client.GrantKey;
import io.terrace.client.LocalGrant;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client process on a DataNode's host: the conversation of {@code DataNodeLink} without its socket, around the real
 * {@link LocalGrant}, which does every read.
 */
public final class SimulatedClient implements GrantServerDriver.Caller {

    private static final long MS = 1_000_000;
    private static final long TICK_NS = 200 * MS;
    private static final long IDLE_NS = 1_500 * MS;
    private static final int ASK_BLINDLY = 5;

    private final SimulatedCluster simulatedCluster;
    private final Host host;
    private final OsProcess process;
    /** Stops reading without telling the DataNode; its leases must expire. */
    private final boolean ignoresRevocations;
    /** Keeps renewing revoked grants, as a client that wants the memory for itself would. */
    private final boolean renewsRevoked;
    /** Does not check that a grant is for the block it asked for: the DataNode alone must check. */
    private final boolean trusting;

    private final Map<Long, LocalGrant> grants = new LinkedHashMap<>();
    private final Map<GrantKey, LocalGrant> byKey = new LinkedHashMap<>();
    private final Map<Long, MemoryFile> files = new LinkedHashMap<>();
    private final Map<Long, Long> lastUsedNs = new LinkedHashMap<>();
    private final Set<Long> keptAfterRevocation = new LinkedHashSet<>();
    private @Nullable Connection connection;
    private @Nullable SimulatedDataNode server;
    private @Nullable SlotTable table;
    private Peer peer;
    private byte[] token;
    private boolean renewing;

    public SimulatedClient(SimulatedCluster simulatedCluster, String name, Host host) {
        this.simulatedCluster = simulatedCluster;
        this.host = host;
        this.process = new OsProcess(simulatedCluster.scheduler(), name);
        this.ignoresRevocations = simulatedCluster.scheduler().oneIn(5);
        this.renewsRevoked = ignoresRevocations && simulatedCluster.scheduler().oneIn(2);
        this.trusting = simulatedCluster.scheduler().oneIn(2);
        this.peer = new Peer(simulatedCluster.nextSession(), "user", "group", true, name);
        this.token = newToken();
        process.every(TICK_NS, "client tick", this::tick);
        process.after(simulatedCluster.scheduler().between(MS, 50 * MS), "read", this::readSomething);
    }

    public OsProcess process() {
        return process;
    }

    Host host() {
        return host;
    }

    /** The read through this grant; null once it has ended. */
    @Nullable
    MemoryFile file(long grantId) {
        return files.get(grantId);
    }

    /** The DataNode whose grants it holds. */
    @Nullable
    SimulatedDataNode server() {
        return server;
    }

    private byte[] newToken() {
        return GrantServerDriver.token(simulatedCluster.scheduler().nowNs()
                + simulatedCluster.scheduler().between(500 * MS, 8_000 * MS));
    }

    private void readSomething() {
        if (simulatedCluster.isQuiet()) {
            return;
        }
        if (simulatedCluster.scheduler().oneIn(40)) {
            token = newToken();
        }
        new SimulatedRead(simulatedCluster, this).run();
        process.after(simulatedCluster.scheduler().between(MS, 60 * MS), "read", this::readSomething);
    }

    /** A usable grant, now or later; null if the client should read through stock HDFS. */
    void grant(BlockKey block, Consumer<@Nullable LocalGrant> then) {
        GrantKey key = new GrantKey("user", token, block);
        LocalGrant held = byKey.get(key);
        if (held != null && held.isUsable()) {
            then.accept(held);
            return;
        }
        Connection open = connect();
        SlotTable known = table;
        SimulatedDataNode asked = server;
        // The table may be out of date when the request arrives, and some clients ask without reading it.
        boolean asks = known != null
                && (known.lookup(block) >= 0 || simulatedCluster.scheduler().oneIn(ASK_BLINDLY));
        if (open == null || asked == null || known == null || !asks) {
            then.accept(null);
            return;
        }
        long askedNs = process.nanoTime();
        Peer me = peer;
        byte[] shown = token;
        open.toServer("ask", () -> asked.grantServerDriver()
                .ask(
                        me,
                        block,
                        shown,
                        answer -> then.accept(answered(open, asked, known, key, shown, askedNs, answer))));
    }

    private @Nullable LocalGrant answered(
            Connection open,
            SimulatedDataNode asked,
            SlotTable known,
            GrantKey key,
            byte[] shown,
            long askedNs,
            GrantAnswer answer) {
        if (!(answer instanceof Grant grant)) {
            return null;
        }
        Peer me = peer;
        if (!trusting && !grant.descriptor().block().equals(key.block())) {
            open.toServer("release", () -> asked.grantServerDriver().released(me, grant.grantId()));
            return null;
        }
        try {
            MemoryFile file = host.simulatedTmpfs.open(grant.linkName());
            LocalGrant held = new LocalGrant(
                    key,
                    grant,
                    askedNs,
                    known,
                    new ExtentFile(process, simulatedCluster.scheduler(), file),
                    (ended, how) -> ended(open, asked, me, ended, how),
                    () -> {},
                    1 << 20,
                    simulatedCluster.hooks().clientClock(process));
            grants.put(held.id(), held);
            files.put(held.id(), file);
            byKey.put(key, held);
            lastUsedNs.put(held.id(), process.nanoTime());
            simulatedCluster.observer().leased(this, asked, grant, shown, askedNs);
            open.toServer("opened", () -> asked.grantServerDriver().opened(me, grant.grantId()));
            return held;
        } catch (IOException e) {
            process.say("cannot open the link of grant %d", grant.grantId());
            open.toServer("release", () -> asked.grantServerDriver().released(me, grant.grantId()));
            return null;
        }
    }

    private void ended(Connection open, SimulatedDataNode asked, Peer me, LocalGrant grant, LocalGrant.End how) {
        if (!process.isAlive()) {
            return;
        }
        byKey.remove(grant.key(), grant);
        // A read may keep a grant of a DataNode that died, while its next process has given the same id again.
        if (grants.remove(grant.id(), grant)) {
            files.remove(grant.id());
            lastUsedNs.remove(grant.id());
        }
        simulatedCluster.observer().ended(asked, grant.id());
        if (how == LocalGrant.End.LOST || (ignoresRevocations && how == LocalGrant.End.REVOKED)) {
            if (renewsRevoked && how == LocalGrant.End.REVOKED) {
                keptAfterRevocation.add(grant.id());
            }
            return;
        }
        process.say("gives grant %d back: %s", grant.id(), how);
        report(open, asked, me, List.of(grant));
        open.toServer("release", () -> asked.grantServerDriver().released(me, grant.id()));
    }

    @Override
    public void revoked(long grantId, int slot, long sequence) {
        LocalGrant grant = grants.get(grantId);
        SimulatedDataNode asked = server;
        Connection open = connection;
        if (grant != null) {
            grant.end(LocalGrant.End.REVOKED);
        } else if (open != null && asked != null && !ignoresRevocations) {
            Peer me = peer;
            open.toServer("revoked", () -> asked.grantServerDriver().released(me, grantId));
        }
    }

    private @Nullable Connection connect() {
        Connection open = connection;
        if (open != null && open.isOpen()) {
            return open;
        }
        SimulatedDataNode running = host.dataNode;
        if (running == null) {
            return null;
        }
        try {
            table = SlotTable.open(running.table().path());
        } catch (IOException e) {
            return null;
        }
        Peer me = new Peer(simulatedCluster.nextSession(), "user", "group", true, process.name());
        peer = me;
        server = running;
        Connection made = new Connection(
                simulatedCluster.scheduler(),
                process,
                running.process(),
                () -> running.grantServerDriver().disconnected(me, false),
                this::lost);
        connection = made;
        made.toServer("hello", () -> running.grantServerDriver().open(me, this, made));
        return made;
    }

    /** The DataNode's process is gone: all its grants are void. */
    private void lost() {
        process.say("lost its DataNode");
        connection = null;
        keptAfterRevocation.clear();
        List.copyOf(grants.values()).forEach(grant -> grant.end(LocalGrant.End.LOST));
    }

    private void tick() {
        Connection open = connection;
        SimulatedDataNode asked = server;
        if (open == null || asked == null) {
            return;
        }
        Peer me = peer;
        report(open, asked, me, List.copyOf(grants.values()));
        List<Long> renew = new ArrayList<>(keptAfterRevocation);
        long nowNs = process.nanoTime();
        for (LocalGrant grant : List.copyOf(grants.values())) {
            if (grant.takeUsed()) {
                lastUsedNs.put(grant.id(), nowNs);
            }
            long leftMs = grant.leaseLeftMs(nowNs);
            if (leftMs <= 0 || nowNs - lastUsedNs.getOrDefault(grant.id(), nowNs) > IDLE_NS) {
                grant.end(LocalGrant.End.RELEASED);
            } else if (leftMs < grant.leaseMs() / 2) {
                renew.add(grant.id());
            }
        }
        if (!renew.isEmpty() && !renewing) {
            renewing = true;
            open.toServer(
                    "renew", () -> asked.grantServerDriver().renew(me, renew, leases -> renewed(asked, nowNs, leases)));
        }
    }

    private void renewed(SimulatedDataNode asked, long askedNs, Map<Long, Long> leasesMs) {
        renewing = false;
        leasesMs.forEach((id, leaseMs) -> {
            LocalGrant grant = grants.get(id);
            if (grant != null && leaseMs > 0) {
                grant.extendLease(askedNs + leaseMs * MS);
                simulatedCluster.observer().renewed(this, asked, id, askedNs + leaseMs * MS);
            }
        });
    }

    private void report(Connection open, SimulatedDataNode asked, Peer me, List<LocalGrant> of) {
        List<ReadReport> reports = new ArrayList<>();
        for (LocalGrant grant : of) {
            ReadReport report = grant.takeReport();
            if (report != null) {
                reports.add(report);
            }
        }
        if (!reports.isEmpty()) {
            open.toServer("report", () -> asked.grantServerDriver().reported(me, reports));
        }
    }
}
