package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.OperatorState;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link OperatorState} in the namespace, as the extended attribute {@value #NAME} of the root directory: one
 * edit-log entry per change, so they outlive restarts and are on the other NameNode before it becomes active, and
 * finding them needs no scan. Cache directives were the alternative for pins; each of them makes the NameNode rescan
 * under its write lock and takes seconds to act (HDFS-16209).
 *
 * <p>Where the attribute cannot be read, nobody knows whether the operator said off. So it is off, unless a
 * command told this NameNode something since it became active. Thread-safe; takes no lock while it stores.
 */
public final class OperatorStateStore {

    public static final String NAME = "trusted.terrace.placement";

    private static final Logger LOG = LoggerFactory.getLogger(OperatorStateStore.class);

    private final Attribute attribute;

    /** What is known in this term of leadership; it differs from what is stored only where storing failed. */
    private @Nullable OperatorState known;

    private boolean stored = true;
    private volatile @Nullable String problem;
    private volatile boolean unread;

    /** Where they are stored. */
    public interface Attribute {
        /** Null when there is none. */
        byte @Nullable [] load();

        void save(byte[] value) throws IOException, InterruptedException;
    }

    public OperatorStateStore(Attribute attribute) {
        this.attribute = attribute;
    }

    /**
     * As last changed, here or by another NameNode before this one became active; initial when nothing is stored. As
     * long as it cannot be read, {@link #problem} says why.
     */
    public synchronized OperatorState load() {
        OperatorState told = known;
        if (told != null && !stored) {
            return told;
        }
        try {
            byte[] value = attribute.load();
            OperatorState read = value == null ? OperatorState.initial() : OperatorState.decoded(value);
            if (problem != null) {
                LOG.info("The operator state can be read again from {} of /", NAME);
            }
            problem = null;
            unread = false;
            known = read;
            return read;
        } catch (RuntimeException e) {
            OperatorState instead = told == null ? OperatorState.off() : told;
            if (problem == null) {
                LOG.error(
                        "The operator state cannot be read from {} of /; {}",
                        NAME,
                        told == null ? "Terrace is off until they can" : "what was read before holds",
                        e);
            }
            problem = String.valueOf(e.getMessage());
            if (told == null) {
                unread = true;
            }
            return instead;
        }
    }

    /** Stores the operator's state; {@link #tell} is to follow. */
    void save(OperatorState state) throws IOException, InterruptedException {
        attribute.save(state.encoded());
    }

    /**
     * The operator changed the state to this.
     *
     * @param kept false when it could not be stored, and holds in this term of leadership alone
     */
    synchronized void tell(OperatorState state, boolean kept) {
        known = state;
        stored = kept;
        if (kept) {
            problem = null;
            unread = false;
        }
    }

    /** Whether something is stored that could not be read in this term: whoever stores loses it. */
    boolean isUnread() {
        return unread;
    }

    /** This NameNode's term is over: another one may take changes now. */
    public synchronized void forget() {
        known = null;
        stored = true;
        problem = null;
        unread = false;
    }

    /** Why what is stored cannot be read; null when it can. */
    @Nullable
    public String problem() {
        return problem;
    }
}
