package io.terrace.placementctl;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** What keeps the files of a client with this configuration from being written over the channel, where that is on. */
final class WriteCheck {

    private static final String WRITES = TerraceSettings.CLIENT_WRITE_ENABLED.key();
    private static final String OFFSET = TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key();
    private static final String RETRIES = "dfs.client.block.write.locateFollowingBlock.retries";
    private static final String REPORT_INTERVAL = "dfs.blockreport.incremental.intervalMsec";

    private final Configuration conf;
    private final List<HealthFinding> found = new ArrayList<>();

    WriteCheck(Configuration conf) {
        this.conf = conf;
    }

    List<HealthFinding> run() {
        if (conf.getBoolean(WRITES, false)) {
            steppedAside();
            traps();
        } else if (conf.getTrimmed(TerraceSettings.CLIENT_WRITE_CLOSE.key(), "all")
                        .equals("minimal")
                || conf.getBoolean(TerraceSettings.CLIENT_WRITE_THROUGH.key(), false)) {
            add(
                    Severity.WARNING,
                    "write-off",
                    TerraceSettings.CLIENT_WRITE_CLOSE.key() + " or " + TerraceSettings.CLIENT_WRITE_THROUGH.key()
                            + " is set, and has no effect: " + WRITES + " is false",
                    "set " + WRITES + " to true in the clients' hdfs-site.xml");
        }
        return found;
    }

    /** What leaves all files to stock. */
    private void steppedAside() {
        boolean encrypted = conf.getBoolean(ConfigurationCheck.ENCRYPTION, false);
        String protection = conf.getTrimmed(ConfigurationCheck.PROTECTION, "");
        if (!conf.getTrimmed("fs.hdfs.impl", "").startsWith("io.terrace.")) {
            add(
                    Severity.WARNING,
                    "write-no-class",
                    WRITES + " is true, and fs.hdfs.impl is stock's: stock HDFS writes all files",
                    "set it to io.terrace.fs.TerraceFileSystem in the client's hdfs-site.xml or in the application's own"
                            + " settings, never in core-site.xml");
        } else if (encrypted || !protection.isEmpty()) {
            add(
                    Severity.WARNING,
                    "write-protected",
                    WRITES + " is true, and "
                            + (encrypted
                                    ? ConfigurationCheck.ENCRYPTION + " is true"
                                    : ConfigurationCheck.PROTECTION + " is " + protection)
                            + ": the channel neither signs nor encrypts, so stock HDFS writes all files"
                            + " (client.write.fallback.protected)",
                    "keep it so, and set " + WRITES + " to false to end this warning");
        } else if (isOff(OFFSET)) {
            boolean local =
                    !conf.getTrimmed(TerraceSettings.CHANNEL_DIR.key(), "").isEmpty();
            add(
                    Severity.WARNING,
                    "write-no-tcp",
                    WRITES + " is true, and " + OFFSET + " is 0: DataNodes reach each other, and clients those of other"
                            + " hosts, over tcp alone, so stock HDFS writes "
                            + (local ? "all files but those of one replica on the client's own host" : "all files")
                            + " (client.write.fallback.no_channel)",
                    "set it alike for clients and DataNodes");
        }
    }

    private boolean isOff(String key) {
        return conf.getTrimmed(key, "0").equals("0");
    }

    /** Settings of stock that keep files which are written over the channel waiting, or failing. */
    private void traps() {
        if (number(RETRIES, 5) == 0) {
            add(
                    Severity.WARNING,
                    "write-no-retries",
                    RETRIES + " is 0: a file cannot be closed, nor a block be added, unless the"
                            + " DataNodes' reports are there at once",
                    "remove it; a client that writes over the channel asks again after 2 ms already");
        }
        if (number(REPORT_INTERVAL, 0) > 0) {
            add(
                    Severity.NOTE,
                    "write-late-reports",
                    REPORT_INTERVAL + " is " + conf.get(REPORT_INTERVAL)
                            + ": each close of a file, and each second block, waits so long for the DataNodes' reports",
                    "remove it from the DataNodes' hdfs-site.xml if small files are written");
        }
    }

    /** The default where Hadoop could not read it, either. */
    private long number(String key, long otherwise) {
        try {
            return conf.getLong(key, otherwise);
        } catch (NumberFormatException e) {
            found.add(ConfigurationCheck.unreadable(conf, key, "a whole number"));
            return otherwise;
        }
    }

    private void add(Severity severity, String id, String text, String remedy) {
        found.add(new HealthFinding(id, severity, text, remedy));
    }
}
