package io.terrace.bench.simulation;

import io.terrace.bench.simulation.check.ClusterChecks;
import io.terrace.bench.simulation.check.QuiescenceChecks;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.fault.FaultInjector;
import io.terrace.bench.simulation.fault.Mutation;
import io.terrace.bench.simulation.fault.Mutations;
import io.terrace.bench.simulation.fault.WriteMutations;
import io.terrace.bench.simulation.kernel.EventLog;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.SeedMix;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.write.WriteRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of one seed.
 *
 * @param violation what did not hold; null if everything did
 * @param lines the event log, empty unless it was asked for
 * @param checksum of the events and what was said of them: equal in every run of one seed
 */
record SeedRun(
        long seed,
        @Nullable Violation violation,
        List<String> lines,
        long checksum,
        long events,
        long grantReads,
        long stockReads) {

    private static final long FAULTS_NS = 10_000_000_000L;
    private static final long QUIET_NS = 14_000_000_000L;

    /** In addition where blocks are that nobody reads. */
    private static final long OFFERS_NS = 20_000_000_000L;

    /** Runs a seed from its beginning. */
    static SeedRun of(long seed, @Nullable Mutation mutation, boolean logged, Path directory) {
        return of(seed, SeedMix.usual(), mutation, logged, directory);
    }

    static SeedRun of(long seed, SeedMix mix, @Nullable Mutation mutation, boolean logged, Path directory) {
        EventLog log = new EventLog(logged);
        Scheduler scheduler = new Scheduler(seed, log);
        Mutations mutations = new Mutations(mutation);
        ClusterChecks checks = new ClusterChecks(scheduler, mutations);
        SimulatedCluster simulatedCluster = new SimulatedCluster(scheduler, mutations, checks, directory, mix);
        // Apart, so that neither changes what the other draws.
        Scheduler writes = new Scheduler(seed, log);
        Violation violation = null;
        try (ErrorLog errors = new ErrorLog()) {
            if (mutation == null || !mutation.ofWrites()) {
                violation = ended(() -> run(simulatedCluster, checks, mix));
            }
            if (violation == null && (mutation == null || mutation.ofWrites())) {
                violation = ended(() -> WriteRun.run(writes, new WriteMutations(mutation), directory));
            }
            String error = errors.line();
            if (violation == null && error != null) {
                violation = new Violation(Invariant.NOTHING_THROWN, error, errors.cause());
            }
        } finally {
            clean(directory);
        }
        return new SeedRun(
                seed,
                violation,
                log.lines(),
                log.checksum(),
                scheduler.events() + writes.events(),
                simulatedCluster.grantReads(),
                simulatedCluster.stockReads());
    }

    /** Injects faults for a while, then ends them all and checks the cluster at quiescence. */
    private static void run(SimulatedCluster simulatedCluster, ClusterChecks checks, SeedMix mix) {
        Scheduler scheduler = simulatedCluster.scheduler();
        simulatedCluster.start();
        FaultInjector faultInjector = new FaultInjector(simulatedCluster, checks, mix);
        faultInjector.start();
        scheduler.checkAfterEach(checks::check);
        scheduler.runUntil(FAULTS_NS);
        simulatedCluster.beQuiet();
        faultInjector.end();
        simulatedCluster.network().heal();
        scheduler.runUntil(
                FAULTS_NS + QUIET_NS + (simulatedCluster.unreadBlocks().all().isEmpty() ? 0 : OFFERS_NS));
        new QuiescenceChecks(simulatedCluster, checks).check();
    }

    /** The failure that ended a run, or null. An Error fails this seed only, like any exception. */
    static @Nullable Violation ended(Runnable run) {
        try {
            run.run();
            return null;
        } catch (Violation e) {
            return e;
        } catch (RuntimeException | Error e) {
            return new Violation(
                    isThrownByProduct(e) ? Invariant.NOTHING_THROWN : Invariant.SEED_ENDS, e.toString(), e);
        }
    }

    /**
     * Whether code under simulation threw it, or passed it on as another one; else the simulation itself crashed, which shows nothing
     * of the product. An error of the JVM may come anywhere.
     */
    private static boolean isThrownByProduct(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            Optional<String> thrower = Stream.of(each.getStackTrace())
                    .map(StackTraceElement::getClassName)
                    .filter(name -> name.startsWith("io.terrace."))
                    .findFirst();
            if (!(each instanceof VirtualMachineError)
                    && thrower.filter(name -> !name.startsWith("io.terrace.bench."))
                            .isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the seed violated the invariant that the mutation breaks. */
    boolean finds(Mutation mutation) {
        return violation != null && violation.invariant() == mutation.breaks();
    }

    private static void clean(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
