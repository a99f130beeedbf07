package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Calls of the command with a configuration directory of its own, and what the last one printed. */
final class CtlSession {

    private static final ObjectMapper JSON = new ObjectMapper();

    final Path conf;
    String out = "";
    String err = "";

    CtlSession(Path conf) {
        this.conf = conf;
    }

    /** Where the service of a NameNode really listens, once it does. */
    static String service(Configuration bound) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !bound.get("terrace.placement.rpc-address").endsWith(":0"));
        return bound.get("terrace.placement.rpc-address");
    }

    static CtlSession of(Path conf, URI fileSystem, String service) throws IOException {
        CtlSession session = new CtlSession(conf);
        session.pointAt(fileSystem, service);
        return session;
    }

    /** Of a NameNode that may have started again, on another port. */
    void pointAt(URI fileSystem, String service) throws IOException {
        Files.createDirectories(conf);
        Files.writeString(conf.resolve("core-site.xml"), site("fs.defaultFS", fileSystem.toString()));
        Files.writeString(conf.resolve("hdfs-site.xml"), site("terrace.placement.rpc-address", service));
    }

    static String site(String key, String value) {
        return "<configuration><property><name>" + key + "</name><value>" + value
                + "</value></property></configuration>";
    }

    int run(String... arguments) {
        StringWriter outWriter = new StringWriter();
        StringWriter errWriter = new StringWriter();
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!all.contains("--conf")) {
            all.addAll(List.of("--conf", conf.toString()));
        }
        int code = PlacementCtl.run(new PrintWriter(outWriter), new PrintWriter(errWriter), all.toArray(String[]::new));
        out = outWriter.toString();
        err = errWriter.toString();
        assertThat(out.lines())
                .as("a table fits 100 columns")
                .allMatch(line -> line.length() <= 100 || line.contains("\""));
        assertThat(out).as("no colours off a terminal").doesNotContain("\u001b");
        return code;
    }

    int runAs(String user, String... arguments) throws Exception {
        return UserGroupInformation.createUserForTesting(user, new String[] {"users"})
                .doAs((PrivilegedExceptionAction<Integer>) () -> run(arguments));
    }

    JsonNode json() throws IOException {
        return JSON.readTree(out);
    }
}
