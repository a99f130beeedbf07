package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.cluster.ClusterObserver.DataNodeObserver;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.channel.server.Principal;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.GrantRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.BiConsumer;

/** Files of extents that are not removed or sealed as they should be, for {@link Mutations}. */
record MutatedStore(ExtentStore store, BiConsumer<Extent, Runnable> remover, Runnable beforeSeal)
        implements ExtentStore {

    private static final long LATE_NS = 1_000_000_000L;
    private static final long SESSION = Long.MAX_VALUE;

    /** Reports at once that a file is removed, and removes it later. */
    static ExtentStore late(OsProcess process, ExtentStore store) {
        return new MutatedStore(store, (extent, removal) -> process.after(LATE_NS, "late removal", removal), () -> {});
    }

    /** Reports that a file is removed, and keeps it. */
    static ExtentStore kept(ExtentStore store) {
        return new MutatedStore(store, (extent, removal) -> {}, () -> {});
    }

    /** Throws an unexpected exception when a copy is complete. */
    static ExtentStore throwing(ExtentStore store) {
        return new MutatedStore(store, (extent, removal) -> removal.run(), () -> {
            throw new UnsupportedOperationException("planted");
        });
    }

    /** Lets the ledger grant an extent while its file is removed. */
    static ExtentStore granting(OsProcess process, GrantLedger ledger, DataNodeObserver observer, ExtentStore store) {
        BiConsumer<Extent, Runnable> granting = (extent, removal) -> {
            long nowNs = process.nanoTime();
            GrantRecord grant = ledger.grant(SESSION, Principal.onThisHost("user"), extent, nowNs + LATE_NS, nowNs);
            if (grant != null) {
                observer.granted(grant.peer(), grant.id());
            }
            removal.run();
        };
        return new MutatedStore(store, granting, () -> {});
    }

    @Override
    public FileChannel create(Extent extent) throws IOException {
        return store.create(extent);
    }

    @Override
    public void seal(Extent extent) throws IOException {
        beforeSeal.run();
        store.seal(extent);
    }

    @Override
    public FileChannel open(Extent extent) throws IOException {
        return store.open(extent);
    }

    @Override
    public boolean remove(Extent extent, boolean truncate) {
        remover.accept(extent, () -> store.remove(extent, truncate));
        return true;
    }
}
