package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the pages name by example, and what it is on this site. */
record GuideSite(String clientLib, String channelDir, String portOffset) {
    private static final String LIB = "/opt/terrace/lib/client";
    private static final String CHANNEL = "/var/lib/terrace/channel";
    private static final String OFFSET = "terrace.channel.tcp.port.offset";

    /** @param dir of the application, where this makes lib/client of an installation */
    static GuideSite of(LocalCluster cluster, Path dir) throws IOException {
        Path lib = Files.createDirectories(dir.resolve("terrace/lib/client"));
        Files.createSymbolicLink(lib.resolve("terrace-client.jar"), ClassPath.client());
        return new GuideSite(
                lib.toString(),
                cluster.layout().channel().toString(),
                cluster.spec().properties().getOrDefault(OFFSET, "0"));
    }

    /** A page's text for this site. */
    String text(String page) {
        return page.replace(LIB, clientLib)
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
