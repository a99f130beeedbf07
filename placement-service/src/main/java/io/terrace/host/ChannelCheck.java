package io.terrace.host;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.nio.file.Path;
import java.util.List;

/** The directory of the Unix sockets: clients trust it only if nobody but the DataNode's user and root can write there or above. */
final class ChannelCheck {

    private ChannelCheck() {}

    static void run(DataNodeHost host, List<HostFinding> found) {
        Path channel = host.settings().channelDir();
        if (channel == null) {
            found.add(HostFinding.other(
                    "channel-off",
                    Severity.WARNING,
                    "clients of this host get no grants; only stock readers are served from memory",
                    "set " + TerraceSettings.CHANNEL_DIR.key() + " for DataNodes and clients"));
            return;
        }
        FileOwner owner = FileOwner.of(host.files().at(channel));
        if (owner == null) {
            found.add(HostFinding.prepared("channel-missing", Severity.ERROR, channel + " is not there"));
        } else if (!owner.isOnly(host.owner())) {
            found.add(HostFinding.prepared("channel-owner", Severity.ERROR, channel + owner.notOnly(host.owner())));
        }
        HostCheck.above(host, channel, "channel-open", "clients do not trust it", TerraceSettings.CHANNEL_DIR, found);
    }
}
