package io.terrace.placement.hdfs;

import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.accesslog.BlockPaths;
import io.terrace.placement.hdfs.namesystem.PolicyFileWatch;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.PolicyParameter;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.protocol.HeartbeatLimits;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads {@link PlacementSettings} from Hadoop's configuration. Unknown {@code terrace.*} keys and values out of range are
 * refused with an {@link IllegalArgumentException} that names key and remedy.
 */
public final class SettingsReader {

    private static final Logger LOG = LoggerFactory.getLogger(SettingsReader.class);

    private final Configuration conf;

    public SettingsReader(Configuration conf) {
        this.conf = conf;
    }

    /** Everything that the loop needs. */
    public PlacementSettings read() {
        refuseUnknownKeys(conf);
        return values();
    }

    /** The same without a look at keys that nobody reads. */
    public PlacementSettings values() {
        String policy = text(TerraceSettings.PLACEMENT_POLICY);
        return new PlacementSettings(
                new PolicyChoice(PolicySpec.plain(policy, policyParameters(policy)), PolicyChoice.Source.SETTINGS, 0),
                new MoveSettings(
                        bytes(TerraceSettings.PLACEMENT_MOVE_BANDWIDTH, 0),
                        bytes(TerraceSettings.PLACEMENT_IDLE_BANDWIDTH, 0),
                        whole(TerraceSettings.PLACEMENT_MOVES_IN_FLIGHT, 1, 1024),
                        whole(TerraceSettings.PLACEMENT_MOVES_WAITING, 1, 100_000),
                        millis(TerraceSettings.PLACEMENT_MOVE_TIMEOUT, 1_000),
                        millis(TerraceSettings.PLACEMENT_MOVE_WAIT, 1_000)),
                new HeatSettings(
                        whole(TerraceSettings.PLACEMENT_TRACKED_BLOCKS, 1_000, 20_000_000),
                        millis(TerraceSettings.PLACEMENT_HEAT_HALF_LIFE, 1_000)),
                new HeartbeatSettings(
                        (int) millis(TerraceSettings.PLACEMENT_HEARTBEAT_INTERVAL, 50),
                        millis(TerraceSettings.PLACEMENT_NODE_EXPIRY, 1_000),
                        millis(TerraceSettings.PLACEMENT_NODE_FORGET, 10_000),
                        whole(TerraceSettings.PLACEMENT_HEARTBEAT_ENTRIES, HeartbeatLimits.ENTRIES, 1_000_000)));
    }

    /** Time between two turns of the loop. */
    int intervalMs() {
        return (int) millis(TerraceSettings.PLACEMENT_INTERVAL, 10);
    }

    /** The most blocks looked at in one hold of the NameNode's read lock. */
    int lockBlocks() {
        return whole(TerraceSettings.PLACEMENT_LOCK_BLOCKS, 1, 10_000);
    }

    /** The configured policy file; null when none is. */
    @Nullable
    PolicyFileWatch policyFile(MetricRegistry metricRegistry) {
        String file = text(TerraceSettings.PLACEMENT_POLICY_FILE);
        return file.isEmpty()
                ? null
                : new PolicyFileWatch(path(TerraceSettings.PLACEMENT_POLICY_FILE, file), metricRegistry);
    }

    /** The log of accesses, writing; null when it is off or its directory cannot be used, which is logged. */
    @Nullable
    AccessLog accessLog(MetricRegistry metricRegistry, NamespaceView view) {
        String dir = text(TerraceSettings.PLACEMENT_ACCESS_LOG_DIR);
        long most = bytes(TerraceSettings.PLACEMENT_ACCESS_LOG_BYTES, AccessLog.LEAST_BYTES);
        if (dir.isEmpty() || !conf.getBoolean(TerraceSettings.PLACEMENT_ACCESS_LOG_ENABLED.key(), true)) {
            return null;
        }
        try {
            boolean named = conf.getBoolean(TerraceSettings.PLACEMENT_ACCESS_LOG_PATHS.key(), true);
            return new AccessLog(
                    path(TerraceSettings.PLACEMENT_ACCESS_LOG_DIR, dir),
                    most,
                    Time::now,
                    named ? blocks -> paths(view.names(blocks)) : BlockPaths.NONE,
                    whole(TerraceSettings.PLACEMENT_LOCK_BLOCKS, 1, 10_000),
                    metricRegistry);
        } catch (IOException e) {
            LOG.error(
                    "No accesses are logged: {} is {}, which cannot be used; make it a directory of the NameNode's user",
                    TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.key(),
                    dir,
                    e);
            return null;
        }
    }

    private static List<@Nullable String> paths(List<@Nullable Named> names) {
        List<@Nullable String> paths = new ArrayList<>();
        names.forEach(named -> paths.add(named == null ? null : named.path()));
        return paths;
    }

    private static Path path(TerraceSettings key, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw refusal(key, text, "a local path", e);
        }
    }

    /** Refuses a configuration with {@code terrace.*} keys that nobody reads. */
    static void refuseUnknownKeys(Configuration conf) {
        TreeSet<String> keys = new TreeSet<>();
        conf.forEach(entry -> keys.add(entry.getKey()));
        List<String> complaints = UnknownSettings.complaints(keys);
        if (!complaints.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", complaints));
        }
    }

    private Map<String, String> policyParameters(String policy) {
        PolicyKind kind = PolicyCatalog.kinds().stream()
                .filter(candidate -> candidate.name().equals(policy))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(TerraceSettings.PLACEMENT_POLICY.key() + " is " + policy
                        + "; there are "
                        + PolicyCatalog.kinds().stream().map(PolicyKind::name).toList()));
        Map<String, String> values = new HashMap<>();
        for (PolicyParameter parameter : kind.parameters()) {
            TerraceSettings known = TerraceSettings.of("terrace.placement." + policy + "." + parameter.name());
            if (known != null) {
                values.put(parameter.name(), text(known));
            } else if (parameter.name().equals("remembered") || parameter.name().equals("tracked")) {
                // A NameNode has a policy per DataNode; the policies' own default is for one alone.
                values.put(parameter.name(), TerraceSettings.PLACEMENT_IDECIDER_REMEMBERED.defaultValue());
            }
        }
        TerraceSettings key = TerraceSettings.PLACEMENT_POLICY_PARAMETERS;
        for (String word : conf.getTrimmedStringCollection(key.key())) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw refusal(key, word, "name=value, separated by commas", null);
            }
            values.put(
                    word.substring(0, equals).strip(),
                    word.substring(equals + 1).strip());
        }
        checkParameters(policy, values);
        return values;
    }

    /** Lets the policy itself refuse what it does not take, here rather than at the first heartbeat. */
    private static void checkParameters(String policy, Map<String, String> values) {
        try {
            PolicyCatalog.create(
                    policy,
                    values,
                    TierHierarchy.of(new TierSpec("memory", 0, 1, 1, true), new TierSpec("home", 0, 1, 1, false)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    TerraceSettings.PLACEMENT_POLICY_PARAMETERS.key() + " or terrace.placement." + policy + ".*: "
                            + e.getMessage(),
                    e);
        } catch (LinkageError e) {
            // Not a matter of settings: the loop takes another policy, and says so.
            LOG.error("Policy {} cannot be made: its jars do not fit", policy, e);
        }
    }

    String text(TerraceSettings key) {
        return conf.getTrimmed(key.key(), key.defaultValue());
    }

    int whole(TerraceSettings key, int least, int most) {
        String text = text(key);
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw refusal(key, text, "a whole number from " + least + " to " + most, e);
        }
        throw refusal(key, text, "a whole number from " + least + " to " + most, null);
    }

    long bytes(TerraceSettings key, long least) {
        String text = text(key);
        try {
            long value =
                    conf.getLongBytes(key.key(), StringUtils.TraditionalBinaryPrefix.string2long(key.defaultValue()));
            if (value >= least) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            throw refusal(key, text, "bytes, e.g. 100m, at least " + least, e);
        }
        throw refusal(key, text, "bytes, e.g. 100m, at least " + least, null);
    }

    long millis(TerraceSettings key, long least) {
        String text = text(key);
        String remedy = "a time with its unit, e.g. 250ms or 10s, at least " + least + "ms";
        try {
            long value = conf.getTimeDuration(key.key(), key.defaultValue(), TimeUnit.MILLISECONDS);
            if (value >= least && value <= Integer.MAX_VALUE) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            throw refusal(key, text, remedy, e);
        }
        throw refusal(key, text, remedy, null);
    }

    private static IllegalArgumentException refusal(
            TerraceSettings key, String text, String remedy, @Nullable Exception cause) {
        return new IllegalArgumentException(key.key() + " is " + text + "; it must be " + remedy, cause);
    }
}
