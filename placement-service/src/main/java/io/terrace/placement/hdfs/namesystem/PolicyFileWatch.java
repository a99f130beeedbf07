package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.FailureReason;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configured policy file as it was last read. It is compared as a whole rather than by its time, which may stand
 * still over two changes; it has {@value PolicyFile#MOST_BYTES} bytes at most. With a mistake in it, what it said
 * before holds on.
 *
 * <p>{@link #poll} is called by one thread; the rest may be read by any.
 */
public final class PolicyFileWatch {

    private static final Logger LOG = LoggerFactory.getLogger(PolicyFileWatch.class);

    private final Path file;
    private final MetricRegistry metricRegistry;
    private byte @Nullable [] seen;
    private boolean polled;
    private volatile @Nullable PolicySpec spec;
    private volatile @Nullable String problem;

    public PolicyFileWatch(Path file, MetricRegistry metricRegistry) {
        this.file = file;
        this.metricRegistry = metricRegistry;
        metricRegistry.gauge(Metric.PLACEMENT_POLICY_FILE_BAD, () -> problem == null ? 0 : 1);
    }

    /** Looks at the file; says whether it holds another policy than before. */
    boolean poll() {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(PolicyFile.MOST_BYTES + 1);
        } catch (NoSuchFileException e) {
            refuse(file + " does not exist");
            return false;
        } catch (IOException e) {
            refuse(file + " cannot be read: " + FailureReason.of(e));
            return false;
        }
        if (Arrays.equals(bytes, seen)) {
            return false;
        }
        boolean first = !polled;
        polled = true;
        seen = bytes;
        try {
            PolicySpec read = PolicyFile.read(file.toString(), new String(bytes, StandardCharsets.UTF_8));
            boolean changed = !read.equals(spec);
            spec = read;
            problem = null;
            LOG.info(
                    "Read policy {} with {} rules from {}",
                    read.policy(),
                    read.rules().size(),
                    file);
            return changed;
        } catch (PolicyFileException e) {
            refuse(String.valueOf(e.getMessage()));
            return first && takeAsStored(bytes);
        }
    }

    /** A file that the NameNode starts with may be one that an earlier build took; its mistake is named all the same. */
    private boolean takeAsStored(byte[] bytes) {
        try {
            PolicySpec read = PolicyFile.readStored(file.toString(), new String(bytes, StandardCharsets.UTF_8));
            spec = read;
            LOG.warn(
                    "Policy {} of {} is in force all the same, as an earlier build took such a file",
                    read.policy(),
                    file);
            return true;
        } catch (PolicyFileException e) {
            return false;
        }
    }

    private void refuse(String why) {
        if (!why.equals(problem)) {
            metricRegistry.increment(Metric.PLACEMENT_POLICY_REFUSED);
            LOG.error("The policy file was rejected; the policy in force is unchanged. {}", why);
            problem = why;
            seen = null;
        }
    }

    public Path file() {
        return file;
    }

    /** What it said when it was last right; null when it never was. */
    @Nullable
    PolicySpec spec() {
        return spec;
    }

    /** What is wrong with the file; null when nothing is. */
    @Nullable
    public String problem() {
        return problem;
    }
}
