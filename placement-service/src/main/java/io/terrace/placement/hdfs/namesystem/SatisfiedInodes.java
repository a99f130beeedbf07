package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.LogThrottle;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore.Attribute;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids of files and directories that are annotated with {@code satisfy: true}, as the extended attribute {@value #NAME} of
 * the root directory: after a restart they are found without a scan of the namespace. Thread-safe.
 */
public final class SatisfiedInodes {

    public static final String NAME = "trusted.terrace.satisfied";

    /** A little less than what HDFS takes as one attribute. */
    static final int MOST = 1_000;

    /** Whoever may write a directory may annotate it, so the last places are for those that only the superuser annotates. */
    static final int MOST_BEFORE_USERS = 750;

    private static final Logger LOG = LoggerFactory.getLogger(SatisfiedInodes.class);

    private final Attribute attribute;
    private final Executor saver;
    private final Set<Long> added = new TreeSet<>();
    private final Set<Long> removed = new TreeSet<>();
    private final LogThrottle fullLog = new LogThrottle(TimeUnit.MINUTES.toNanos(10));
    private boolean saving;

    /** @param saver where the attribute is stored, which waits for the edit log */
    public SatisfiedInodes(Attribute attribute, Executor saver) {
        this.attribute = attribute;
        this.saver = saver;
    }

    /** Keeps nothing. */
    static SatisfiedInodes none() {
        return new SatisfiedInodes(
                new Attribute() {
                    @Override
                    public byte @Nullable [] load() {
                        return null;
                    }

                    @Override
                    public void save(byte[] value) {}
                },
                Runnable::run);
    }

    synchronized List<Long> all() {
        TreeSet<Long> all = stored();
        all.addAll(added);
        all.removeAll(removed);
        return List.copyOf(all);
    }

    private TreeSet<Long> stored() {
        TreeSet<Long> ids = new TreeSet<>();
        byte[] value = attribute.load();
        String text = value == null ? "" : new String(value, StandardCharsets.UTF_8);
        for (String id : text.split(",", -1)) {
            if (id.matches("[0-9]{1,18}")) {
                ids.add(Long.parseLong(id));
            } else if (!id.isEmpty()) {
                LOG.warn("'{}' in {} of / is no inode id and is left out; the next change removes it", id, NAME);
            }
        }
        return ids;
    }

    /** @param ofUsers whether they have the annotation of the namespace {@code user} alone */
    synchronized void add(Collection<Long> inodes, boolean ofUsers) {
        Set<Long> known = new TreeSet<>(all());
        for (long inode : inodes) {
            if (known.contains(inode)) {
                continue;
            }
            if (known.size() >= (ofUsers ? MOST_BEFORE_USERS : MOST)) {
                full(inode, known.size());
            } else {
                removed.remove(inode);
                added.add(inode);
                known.add(inode);
            }
        }
        saveLater();
    }

    private void full(long inode, int known) {
        Long others = fullLog.next(System.nanoTime());
        if (others != null) {
            LOG.error(
                    "Inode {} is annotated with satisfy=true and not walked, since {} others are: annotate a"
                            + " directory above, or give the policy file a rule; {} more since the last such line",
                    inode,
                    known,
                    others);
        }
    }

    synchronized void remove(Collection<Long> inodes) {
        added.removeAll(inodes);
        removed.addAll(inodes);
        saveLater();
    }

    /** Another NameNode may store the list from now on, so what this one could not store is not to be added to it later. */
    public synchronized void forget() {
        added.clear();
        removed.clear();
    }

    private void saveLater() {
        if (saving || (added.isEmpty() && removed.isEmpty())) {
            return;
        }
        saving = true;
        try {
            saver.execute(this::save);
        } catch (RejectedExecutionException e) {
            saving = false;
            LOG.debug("{} of / is not stored: the service ends", NAME, e);
        }
    }

    private void save() {
        Set<Long> adds = Set.of();
        Set<Long> removes = Set.of();
        boolean stored = false;
        try {
            List<Long> value;
            synchronized (this) {
                value = all();
                adds = Set.copyOf(added);
                removes = Set.copyOf(removed);
            }
            String text = value.stream().map(String::valueOf).collect(Collectors.joining(","));
            attribute.save(text.getBytes(StandardCharsets.UTF_8));
            stored = true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} of / cannot be stored: after a restart some directories are not known; tried again", NAME, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                saving = false;
                if (stored) {
                    added.removeAll(adds);
                    removed.removeAll(removes);
                }
            }
        }
    }
}
