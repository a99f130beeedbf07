package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicyHistory;
import io.terrace.placement.policyfile.PolicyHistory.Step;
import io.terrace.placement.policyfile.PolicySpec;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which policy is wanted: the applied one, else that of the policy file, else that of the settings. Applied ones
 * are kept in the namespace ({@value #NAME} of {@code /}), so they hold on both NameNodes and after a restart.
 *
 * <p>Changes come one at a time; the loop asks without waiting for one. Reading the attribute takes the NameNode's read lock once.
 */
public final class PolicyStore {

    public static final String NAME = "trusted.terrace.policy";

    private static final Logger LOG = LoggerFactory.getLogger(PolicyStore.class);

    private final OperatorStateStore.Attribute attribute;
    private final PolicyChoice settings;
    private final @Nullable PolicyFileWatch file;
    private final LongSupplier wallMs;
    private volatile PolicyHistory history = PolicyHistory.EMPTY;
    private volatile @Nullable String problem;
    /** Whether something is stored that could not be read: whoever stores loses it. */
    private volatile boolean unread;

    private @Nullable PlacementLoop loop;
    /** The loop is still to be told of what was read: of the file, or of the attribute that could not be read before. */
    private volatile boolean untold;

    /** @param file null when none is configured; it is read once here */
    public PolicyStore(
            OperatorStateStore.Attribute attribute,
            PolicyChoice settings,
            @Nullable PolicyFileWatch file,
            LongSupplier wallMs) {
        this.attribute = attribute;
        this.settings = settings;
        this.file = file;
        this.wallMs = wallMs;
        if (file != null) {
            file.poll();
        }
    }

    /**
     * From now on the loop is told when the file changes, or can read again what was applied.
     *
     * @param watch reads the file; it waits for who changes something and for the loop, so it must not be what stores
     */
    public void serve(PlacementLoop placementLoop, long pollMs, ScheduledExecutorService watch) {
        synchronized (this) {
            loop = placementLoop;
        }
        ScheduledFuture<?> unused = watch.scheduleWithFixedDelay(this::poll, pollMs, pollMs, TimeUnit.MILLISECONDS);
    }

    private void poll() {
        try {
            boolean changed = file != null && file.poll();
            if (unread && readAgain() || changed || untold) {
                tellWanted();
                untold = false;
            }
        } catch (LoopBusyException e) {
            if (!untold) {
                LOG.warn(
                        "The policy file or attribute was read but its policy is not in force yet; tried again: {}",
                        e.getMessage());
            }
            untold = true;
        } catch (IOException | TimeoutException | RuntimeException | Error e) {
            // An Error would end the watch, too.
            untold = false;
            LOG.error("The policy file or attribute was read but its policy is not in force", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether what could not be read was put right, or removed. */
    private synchronized boolean readAgain() {
        load();
        return !unread;
    }

    /** Late is better than never, as the file is not read again until it changes; then what was applied meanwhile holds. */
    private synchronized void tellWanted() throws IOException, TimeoutException, InterruptedException {
        tell(this::wanted, PlacementLoop::change);
    }

    /** How the loop is told: whether a policy that failed may come into force again. */
    @FunctionalInterface
    private interface Telling {
        Told tell(PlacementLoop loop, Function<PlacementEngine, Told> change)
                throws TimeoutException, InterruptedException;
    }

    /** The loop was not told. */
    private static final class LoopBusyException extends IOException {
        private static final long serialVersionUID = 1L;

        private LoopBusyException(RejectedExecutionException cause) {
            super("the placement loop is busy", cause);
        }
    }

    private record Told(PolicyChoice choice, @Nullable String refusal) {}

    private synchronized void tell(Supplier<PolicyChoice> wanted, Telling telling)
            throws IOException, TimeoutException, InterruptedException {
        PlacementLoop placementLoop = loop;
        if (placementLoop == null) {
            return;
        }
        Told told;
        try {
            told = telling.tell(placementLoop, placement -> {
                PolicyChoice choice = wanted.get();
                return new Told(choice, placement.policy(placementLoop.nowMs(), choice));
            });
        } catch (RejectedExecutionException e) {
            throw new LoopBusyException(e);
        }
        if (told.refusal != null) {
            throw new IOException(told.refusal);
        }
        LOG.info("Policy {} ({}) is in force", told.choice.spec().policy(), told.choice.source());
    }

    /** The policy to begin an epoch with. Reads what is applied from the namespace. */
    public PolicyChoice atActivation() {
        unread = false;
        load();
        PolicyChoice wanted = wanted();
        PolicyFile.rulesThatNeverMatch(wanted.spec())
                .forEach(why -> LOG.warn("A rule of applied policy {} has no effect: {}", wanted.number(), why));
        return wanted;
    }

    private void load() {
        try {
            byte[] stored = attribute.load();
            history = stored == null ? PolicyHistory.EMPTY : PolicyHistory.decoded(stored);
            problem = null;
            unread = false;
        } catch (RuntimeException e) {
            if (!unread) {
                LOG.error("Applied policies cannot be read from {} of /; the configured one is in force", NAME, e);
            }
            history = PolicyHistory.EMPTY;
            problem = "applied policies cannot be read from " + NAME + " of /: " + e.getMessage();
            unread = true;
        }
    }

    private PolicyChoice wanted() {
        PolicyHistory applied = history;
        try {
            PolicyChoice choice = choice(applied);
            if (!unread) {
                problem = null;
            }
            return choice;
        } catch (IllegalArgumentException e) {
            // Another version of Terrace wrote the policy.
            LOG.error("The applied policy cannot be used any more; the configured one is in force. {}", e.getMessage());
            problem = "applied policy " + applied.inForce()
                    + " cannot be used by this release; the NameNode's log says why";
            return configured();
        }
    }

    private PolicyChoice choice(PolicyHistory of) {
        Step step = of.step(of.inForce());
        return step == null || step.text() == null
                ? configured()
                : new PolicyChoice(stored("policy " + step.number(), step.text()), Source.APPLIED, step.number());
    }

    private PolicyChoice configured() {
        PolicySpec fromFile = file == null ? null : file.spec();
        return fromFile == null ? settings : new PolicyChoice(fromFile, Source.FILE, 0);
    }

    /** @throws IllegalArgumentException with all that is wrong with it */
    public static PolicySpec parsed(String name, String text) {
        try {
            return PolicyFile.read(name, text);
        } catch (PolicyFileException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** The same for one that was applied, perhaps by an earlier build. */
    public static PolicySpec stored(String name, String text) {
        try {
            return PolicyFile.readStored(name, text);
        } catch (PolicyFileException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Applies a policy; null text is the configured one. It is tried, stored, and then in force, or nothing changes. Where the loop
     * hangs amid the change, it stays stored and the answer says so.
     *
     * @return its number in the history
     */
    public long apply(@Nullable String text, String user) throws IOException, TimeoutException, InterruptedException {
        if (text != null) {
            PolicySpec unused = parsed("policy", text);
        }
        return change(before -> {
            PolicyHistory applied = before.apply(wallMs.getAsLong(), user, text);
            long number = applied.steps().get(applied.steps().size() - 1).number();
            return new PolicyHistory(number, applied.steps());
        });
    }

    /** What was in force before the last apply is in force again; its number, 0 for the configured one. */
    public long rollback() throws IOException, TimeoutException, InterruptedException {
        return change(PolicyHistory::rollback);
    }

    private synchronized long change(UnaryOperator<PolicyHistory> change)
            throws IOException, TimeoutException, InterruptedException {
        if (unread) {
            load();
            // Whatever comes of this change, the loop is to hear of what can be read again.
            untold = untold || !unread;
        }
        if (unread) {
            throw new IOException(
                    "what stands in " + NAME + " of / cannot be read, and this would erase it. Put it right, or"
                            + " remove it (hdfs dfs -setfattr -x " + NAME + " /), and try again");
        }
        PolicyHistory before = history;
        PolicyHistory after = change.apply(before).kept();
        PolicyChoice choice = choice(after);
        try {
            choice.spec().make(PolicySpec.TIERS);
        } catch (RuntimeException | LinkageError e) {
            throw new IOException("policy " + choice.spec().policy() + " cannot be made: " + e, e);
        }
        store(after);
        try {
            tell(() -> choice, PlacementLoop::changeInTime);
        } catch (PlacementLoop.ChangeBegunException e) {
            // It comes into force, so it stays stored.
            history = after;
            problem = null;
            throw new IOException("stored; it comes into force as soon as the placement loop goes on", e);
        } catch (IOException | TimeoutException | RuntimeException e) {
            store(before);
            throw e;
        }
        history = after;
        problem = null;
        return after.inForce();
    }

    private void store(PolicyHistory changed) throws IOException, InterruptedException {
        try {
            attribute.save(changed.encoded());
        } catch (IOException e) {
            throw new IOException("not stored: " + e.getMessage(), e);
        }
    }

    /** Why an applied policy is not in force; null where one is, or none was applied. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** The latest state of what was applied. */
    public PolicyHistory history() {
        return history;
    }

    @Nullable
    public PolicyFileWatch file() {
        return file;
    }

    /** Whether what is applied hides the configured policy file. */
    public boolean hidesFile(PlacementEngine placement) {
        return file != null && placement.policyInForce().source() == Source.APPLIED;
    }
}
