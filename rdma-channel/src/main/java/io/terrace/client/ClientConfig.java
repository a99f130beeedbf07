package io.terrace.client;

import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told by its configuration. {@link TerraceSettings} documents each key.
 *
 * @param channelDirectory null when the client part is off
 * @param owners users who may own it, beside root and the client's own
 * @param mappedMaxBytes mapped bytes in all
 * @param grantsMax grants, and so open files, at once
 */
public record ClientConfig(
        @Nullable Path channelDirectory,
        Set<String> owners,
        long mappedMaxBytes,
        int grantsMax,
        long grantTimeoutMs,
        long grantIdleMs,
        long reportIntervalMs,
        long reportBytes,
        long refusedPauseMs,
        long connectPauseMs) {

    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException naming the key that is wrong and what to write instead
     */
    public static ClientConfig from(Configuration conf) {
        List<String> complaints = UnknownSettings.complaints(
                conf.getPropsWithPrefix("terrace.").keySet().stream().map(key -> "terrace." + key)::iterator);
        if (!complaints.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", complaints));
        }
        String directory = conf.getTrimmed(TerraceSettings.CHANNEL_DIR.key(), "");
        boolean on = flag(conf, TerraceSettings.ENABLED) && !directory.isEmpty();
        return new ClientConfig(
                on ? Path.of(directory) : null,
                Set.copyOf(StringUtils.getTrimmedStringCollection(
                        conf.get(TerraceSettings.CHANNEL_OWNER.key(), TerraceSettings.CHANNEL_OWNER.defaultValue()))),
                bytes(conf, TerraceSettings.CLIENT_MAPPED_MAX, 0),
                (int) Math.min(Integer.MAX_VALUE, bytes(conf, TerraceSettings.CLIENT_GRANTS_MAX, 1)),
                milliseconds(conf, TerraceSettings.CLIENT_GRANT_TIMEOUT),
                milliseconds(conf, TerraceSettings.CLIENT_GRANT_IDLE),
                milliseconds(conf, TerraceSettings.CLIENT_REPORT_INTERVAL),
                bytes(conf, TerraceSettings.CLIENT_REPORT_BYTES, 1),
                milliseconds(conf, TerraceSettings.CLIENT_REFUSED_PAUSE),
                milliseconds(conf, TerraceSettings.CLIENT_CONNECT_PAUSE));
    }

    private static boolean flag(Configuration conf, TerraceSettings key) {
        String value = conf.getTrimmed(key.key(), key.defaultValue());
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(key.key() + " is " + value + "; write true or false");
        }
        return value.equals("true");
    }

    private static long bytes(Configuration conf, TerraceSettings key, long least) {
        String value = conf.getTrimmed(key.key(), key.defaultValue());
        try {
            long bytes = new Parsed(conf, key).bytes();
            if (bytes >= least) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(complaint(key, value, "a number such as " + key.defaultValue()), e);
        }
        throw new IllegalArgumentException(complaint(key, value, "at least " + least));
    }

    private static long milliseconds(Configuration conf, TerraceSettings key) {
        String value = conf.getTrimmed(key.key(), key.defaultValue());
        try {
            long milliseconds = new Parsed(conf, key).milliseconds();
            if (milliseconds >= 1) {
                return milliseconds;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(complaint(key, value, "a time such as " + key.defaultValue()), e);
        }
        throw new IllegalArgumentException(complaint(key, value, "at least 1ms"));
    }

    private static String complaint(TerraceSettings key, String value, String remedy) {
        return key.key() + " is " + value + "; write " + remedy;
    }

    /** Hadoop's own parsing, defaults in its notation included. */
    private record Parsed(Configuration conf, TerraceSettings key) {
        long bytes() {
            String value = conf.getTrimmed(key.key(), key.defaultValue());
            return TraditionalBinaryPrefix.string2long(value);
        }

        long milliseconds() {
            return conf.getTimeDuration(key.key(), key.defaultValue(), TimeUnit.MILLISECONDS);
        }
    }
}
