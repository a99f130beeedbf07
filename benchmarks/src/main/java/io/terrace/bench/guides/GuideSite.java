package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the pages name by example, and what it is on this site. */
record GuideSite(String clientJar, String channelDir, String portOffset) {
    private static final String JAR = "/opt/terrace/lib/client/terrace-client-VERSION.jar";
    private static final String CHANNEL = "/var/lib/terrace/channel";
    private static final String OFFSET = "terrace.channel.tcp.port.offset";

    static GuideSite of(LocalCluster cluster) {
        return new GuideSite(
                ClassPath.client().toString(),
                cluster.layout().channel().toString(),
                cluster.spec().properties().getOrDefault(OFFSET, "0"));
    }

    /** A page's text for this site. */
    String text(String page) {
        return page.replace(JAR, clientJar)
                .replace(CHANNEL, channelDir)
                .replaceAll("(\\Q" + OFFSET + "\\E +)\\S+", "$1" + portOffset);
    }

    /** A page's properties for this site. */
    Map<String, String> properties(Map<String, String> page) {
        Map<String, String> here = new LinkedHashMap<>();
        page.forEach((key, value) -> here.put(key, key.equals(OFFSET) ? portOffset : text(value)));
        return here;
    }
}
