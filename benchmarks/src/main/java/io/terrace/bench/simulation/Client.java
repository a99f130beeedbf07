package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.Peer;
import io.terrace.channel.ReadReport;
import io.terrace.channel.SlotTable;
import io.terrace.client.GrantKey;
import io.terrace.client.HeldGrant;
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
 * {@link HeldGrant}, which does every read.
 */
final class Client implements Desk.Caller {

    private static final long MS = 1_000_000;
    private static final long TICK_NS = 200 * MS;
    private static final long IDLE_NS = 1_500 * MS;
    private static final int ASK_BLINDLY = 5;

    private final World world;
    private final Host host;
    private final OsProcess process;
    /** Never says that it stopped reading, though it does; its leases must run out. */
    private final boolean deaf;
    /** Goes on renewing what was revoked, as one that wants the memory for itself would. */
    private final boolean clinging;
    /** Takes what it is granted without a look whether it is what it asked for: the DataNode alone must have looked. */
    private final boolean trusting;

    private final Map<Long, HeldGrant> grants = new LinkedHashMap<>();
    private final Map<GrantKey, HeldGrant> byKey = new LinkedHashMap<>();
    private final Map<Long, MemoryFile> files = new LinkedHashMap<>();
    private final Map<Long, Long> lastUsedNs = new LinkedHashMap<>();
    private final Set<Long> clungTo = new LinkedHashSet<>();
    private @Nullable Connection connection;
    private @Nullable DataNode server;
    private @Nullable SlotTable table;
    private Peer peer;
    private byte[] token;
    private boolean renewing;

    Client(World world, String name, Host host) {
        this.world = world;
        this.host = host;
        this.process = new OsProcess(world.scheduler(), name);
        this.deaf = world.scheduler().oneIn(5);
        this.clinging = deaf && world.scheduler().oneIn(2);
        this.trusting = world.scheduler().oneIn(2);
        this.peer = new Peer(world.nextSession(), "user", "group", true, name);
        this.token = newToken();
        process.every(TICK_NS, "client tick", this::tick);
        process.after(world.scheduler().between(MS, 50 * MS), "read", this::readSomething);
    }

    OsProcess process() {
        return process;
    }

    Host host() {
        return host;
    }

    /** What it reads through this grant; null once that is over. */
    @Nullable
    MemoryFile file(long grantId) {
        return files.get(grantId);
    }

    /** The DataNode whose grants it holds. */
    @Nullable
    DataNode server() {
        return server;
    }

    private byte[] newToken() {
        return Desk.token(world.scheduler().nowNs() + world.scheduler().between(500 * MS, 8_000 * MS));
    }

    private void readSomething() {
        if (world.isQuiet()) {
            return;
        }
        if (world.scheduler().oneIn(40)) {
            token = newToken();
        }
        new Read(world, this).run();
        process.after(world.scheduler().between(MS, 60 * MS), "read", this::readSomething);
    }

    /** A usable grant, now or later; null when stock HDFS is to read. */
    void grant(BlockKey block, Consumer<@Nullable HeldGrant> then) {
        GrantKey key = new GrantKey("user", token, block);
        HeldGrant held = byKey.get(key);
        if (held != null && held.isUsable()) {
            then.accept(held);
            return;
        }
        Connection open = connect();
        SlotTable known = table;
        DataNode asked = server;
        // What the table says may be over when the question arrives, and some ask without a look at it.
        boolean asks =
                known != null && (known.lookup(block) >= 0 || world.scheduler().oneIn(ASK_BLINDLY));
        if (open == null || asked == null || known == null || !asks) {
            then.accept(null);
            return;
        }
        long askedNs = process.nanoTime();
        Peer me = peer;
        byte[] shown = token;
        open.toServer("ask", () -> asked.desk()
                .ask(
                        me,
                        block,
                        shown,
                        answer -> then.accept(answered(open, asked, known, key, shown, askedNs, answer))));
    }

    private @Nullable HeldGrant answered(
            Connection open,
            DataNode asked,
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
            open.toServer("release", () -> asked.desk().released(me, grant.grantId()));
            return null;
        }
        try {
            MemoryFile file = host.tmpFs.open(grant.linkName());
            HeldGrant held = new HeldGrant(
                    key,
                    grant,
                    askedNs,
                    known,
                    new Content(process, world.scheduler(), file),
                    (ended, how) -> ended(open, asked, me, ended, how),
                    () -> {},
                    1 << 20,
                    world.planted().clientClock(process));
            grants.put(held.id(), held);
            files.put(held.id(), file);
            byKey.put(key, held);
            lastUsedNs.put(held.id(), process.nanoTime());
            world.checks().leased(this, asked, grant, shown, askedNs);
            open.toServer("opened", () -> asked.desk().opened(me, grant.grantId()));
            return held;
        } catch (IOException e) {
            process.say("cannot open the link of grant %d", grant.grantId());
            open.toServer("release", () -> asked.desk().released(me, grant.grantId()));
            return null;
        }
    }

    private void ended(Connection open, DataNode asked, Peer me, HeldGrant grant, HeldGrant.End how) {
        if (!process.isAlive()) {
            return;
        }
        grants.remove(grant.id());
        files.remove(grant.id());
        byKey.remove(grant.key(), grant);
        lastUsedNs.remove(grant.id());
        world.checks().ended(asked, grant.id());
        if (how == HeldGrant.End.LOST || (deaf && how == HeldGrant.End.REVOKED)) {
            if (clinging && how == HeldGrant.End.REVOKED) {
                clungTo.add(grant.id());
            }
            return;
        }
        process.say("gives grant %d back: %s", grant.id(), how);
        report(open, asked, me, List.of(grant));
        open.toServer("release", () -> asked.desk().released(me, grant.id()));
    }

    @Override
    public void revoked(long grantId, int slot, long sequence) {
        HeldGrant grant = grants.get(grantId);
        DataNode asked = server;
        Connection open = connection;
        if (grant != null) {
            grant.end(HeldGrant.End.REVOKED);
        } else if (open != null && asked != null && !deaf) {
            Peer me = peer;
            open.toServer("revoked", () -> asked.desk().released(me, grantId));
        }
    }

    private @Nullable Connection connect() {
        Connection open = connection;
        if (open != null && open.isOpen()) {
            return open;
        }
        DataNode running = host.dataNode;
        if (running == null) {
            return null;
        }
        try {
            table = SlotTable.open(running.table().path());
        } catch (IOException e) {
            return null;
        }
        Peer me = new Peer(world.nextSession(), "user", "group", true, process.name());
        peer = me;
        server = running;
        Connection made = new Connection(
                world.scheduler(),
                process,
                running.process(),
                () -> running.desk().disconnected(me, false),
                this::lost);
        connection = made;
        made.toServer("hello", () -> running.desk().open(me, this, made));
        return made;
    }

    /** The DataNode's process is gone: nothing that it gave is worth anything. */
    private void lost() {
        process.say("lost its DataNode");
        connection = null;
        clungTo.clear();
        List.copyOf(grants.values()).forEach(grant -> grant.end(HeldGrant.End.LOST));
    }

    private void tick() {
        Connection open = connection;
        DataNode asked = server;
        if (open == null || asked == null) {
            return;
        }
        Peer me = peer;
        report(open, asked, me, List.copyOf(grants.values()));
        List<Long> renew = new ArrayList<>(clungTo);
        long nowNs = process.nanoTime();
        for (HeldGrant grant : List.copyOf(grants.values())) {
            if (grant.takeUsed()) {
                lastUsedNs.put(grant.id(), nowNs);
            }
            long leftMs = grant.leaseLeftMs(nowNs);
            if (leftMs <= 0 || nowNs - lastUsedNs.getOrDefault(grant.id(), nowNs) > IDLE_NS) {
                grant.end(HeldGrant.End.RELEASED);
            } else if (leftMs < grant.leaseMs() / 2) {
                renew.add(grant.id());
            }
        }
        if (!renew.isEmpty() && !renewing) {
            renewing = true;
            open.toServer("renew", () -> asked.desk().renew(me, renew, leases -> renewed(asked, nowNs, leases)));
        }
    }

    private void renewed(DataNode asked, long askedNs, Map<Long, Long> leasesMs) {
        renewing = false;
        leasesMs.forEach((id, leaseMs) -> {
            HeldGrant grant = grants.get(id);
            if (grant != null && leaseMs > 0) {
                grant.extendLease(askedNs + leaseMs * MS);
                world.checks().renewed(this, asked, id, askedNs + leaseMs * MS);
            }
        });
    }

    private void report(Connection open, DataNode asked, Peer me, List<HeldGrant> of) {
        List<ReadReport> reports = new ArrayList<>();
        for (HeldGrant grant : of) {
            ReadReport report = grant.takeReport();
            if (report != null) {
                reports.add(report);
            }
        }
        if (!reports.isEmpty()) {
            open.toServer("report", () -> asked.desk().reported(me, reports));
        }
    }
}
