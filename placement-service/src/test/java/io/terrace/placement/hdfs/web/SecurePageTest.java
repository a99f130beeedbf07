package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.placement.hdfs.SecureNameNode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of a NameNode with Kerberos: its web server asks for a ticket and lets proxy users act for others, and then, after
 * a restart, lets everybody in, as Hadoop's defaults do.
 */
@Tag("cluster")
@TestMethodOrder(OrderAnnotation.class)
class SecurePageTest {

    private static final String OF_ALICE = "/of-alice";
    private static final String OF_HDFS = "/of-hdfs";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static File dir;

    private static SecureNameNode secure;
    private static UserGroupInformation alice;
    private static UserGroupInformation gateway;
    private static UserGroupInformation hdfs;

    private record Answer(int status, String body) {}

    @BeforeAll
    static void start() throws Exception {
        secure = new SecureNameNode(dir, SecurePageTest::withTickets, "alice", "gateway");
        alice = secure.user("alice");
        gateway = secure.user("gateway");
        hdfs = secure.user("hdfs/localhost");
        hdfs.doAs((PrivilegedExceptionAction<Void>) () -> {
            try (FileSystem fs = FileSystem.newInstance(
                    URI.create("hdfs://" + secure.nameNode().getNameNodeAddressHostPortString()), secure.conf())) {
                for (String file : new String[] {OF_ALICE, OF_HDFS}) {
                    fs.create(new Path(file)).close();
                    fs.setPermission(new Path(file), new FsPermission("600"));
                }
                fs.setOwner(new Path(OF_ALICE), "alice", "users");
            }
            return null;
        });
    }

    @AfterAll
    static void stop() {
        if (secure != null) {
            secure.close();
        }
    }

    private static void plain(Configuration conf) {
        conf.set("dfs.http.policy", "HTTP_ONLY");
        conf.set("dfs.namenode.http-address", "localhost:0");
    }

    private static void withTickets(Configuration conf) {
        plain(conf);
        conf.set(
                "hadoop.http.filter.initializers",
                "org.apache.hadoop.security.authentication.server.ProxyUserAuthenticationFilterInitializer");
        conf.set("hadoop.http.authentication.type", "kerberos");
        conf.set(
                "hadoop.http.authentication.kerberos.principal", conf.get("dfs.web.authentication.kerberos.principal"));
        conf.set("hadoop.http.authentication.kerberos.keytab", conf.get("dfs.web.authentication.kerberos.keytab"));
        conf.set("hadoop.proxyuser.gateway.users", "alice");
        conf.set("hadoop.proxyuser.gateway.hosts", "*");
    }

    private static URL url(String path) throws IOException {
        return URI.create(
                        "http://localhost:" + secure.nameNode().getHttpAddress().getPort() + "/terrace/" + path)
                .toURL();
    }

    private static Answer answer(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Answer(status, in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static Answer get(String path) throws IOException {
        return answer((HttpURLConnection) url(path).openConnection());
    }

    private static Answer as(UserGroupInformation user, String path) throws Exception {
        // The JDK's client answers "Negotiate" with the ticket of the user whose action this is.
        return user.doAs((PrivilegedExceptionAction<Answer>) () -> get(path));
    }

    private static JsonNode json(Answer answer) throws IOException {
        assertThat(answer.status).as(answer.body).isEqualTo(200);
        return JSON.readTree(answer.body);
    }

    private static String user(Answer answer) throws IOException {
        return json(answer).path("user").asText();
    }

    @Test
    @Order(1)
    void withoutTicket_nothingIsShown() throws Exception {
        for (String path : new String[] {"", "page.js", "api/viewer", "api/cluster", "api/viewer?user.name=hdfs"}) {
            Answer answer = get(path);
            assertThat(answer.status).as(path).isEqualTo(401);
            assertThat(answer.body).doesNotContain("otherNameNodes");
        }
    }

    @Test
    @Order(1)
    void withTicket_userHasTheRightsOfItsName() throws Exception {
        assertThat(user(as(alice, "api/viewer"))).isEqualTo("alice");
        assertThat(user(as(alice, "api/viewer?user.name=hdfs")))
                .as("the ticket counts")
                .isEqualTo("alice");
        assertThat(json(as(alice, "api/explain?path=" + OF_ALICE)).path("path").asText())
                .isEqualTo(OF_ALICE);
        assertThat(as(alice, "api/explain?path=" + OF_HDFS).status).isEqualTo(404);
        assertThat(as(alice, "api/pins").status).isEqualTo(403);
        assertThat(json(as(hdfs, "api/explain?path=" + OF_HDFS)).path("path").asText())
                .isEqualTo(OF_HDFS);
        assertThat(json(as(hdfs, "api/pins")).path("pins").isArray()).isTrue();
    }

    @Test
    @Order(1)
    void proxyUser_isTheOtherWhereHeMay_howeverTheParameterIsWritten() throws Exception {
        for (String parameter : new String[] {"doas", "doAs"}) {
            assertThat(user(as(gateway, "api/viewer?" + parameter + "=alice"))).isEqualTo("alice");
            assertThat(as(gateway, "api/explain?path=" + OF_HDFS + "&" + parameter + "=alice").status)
                    .isEqualTo(404);
            assertThat(as(gateway, "api/viewer?" + parameter + "=hdfs").status).isEqualTo(403);
            assertThat(as(alice, "api/viewer?" + parameter + "=hdfs").status).isEqualTo(403);
        }
        assertThat(as(gateway, "api/viewer?doas=alice&doAs=hdfs").status).isGreaterThanOrEqualTo(400);
    }

    @Test
    @Order(2)
    void webServerThatAsksForNothing_showsNobodyAPathAndTakesDelegationTokens() throws Exception {
        secure.restart(SecurePageTest::plain);
        assertThat(json(get("api/viewer")).has("user")).isFalse();
        for (String path : new String[] {"api/top", "api/pins", "api/explain?path=" + OF_ALICE}) {
            for (String who : new String[] {"", "user.name=alice", "doas=alice", "user.name=hdfs&doas=alice"}) {
                Answer answer = get(path + (path.contains("?") ? "&" : "?") + who);
                assertThat(answer.status).as(path + " " + who).isEqualTo(403);
                assertThat(answer.body).doesNotContain(OF_ALICE);
            }
        }
        Token<DelegationTokenIdentifier> token = token();
        String delegation = "delegation=" + token.encodeToUrlString();
        assertThat(user(get("api/viewer?" + delegation))).isEqualTo("alice");
        assertThat(user(get("api/viewer?user.name=hdfs&doas=hdfs&" + delegation)))
                .as("the token counts")
                .isEqualTo("alice");
        assertThat(json(get("api/explain?path=" + OF_ALICE + "&" + delegation))
                        .path("path")
                        .asText())
                .isEqualTo(OF_ALICE);
        assertThat(get("api/explain?path=" + OF_HDFS + "&" + delegation).status).isEqualTo(404);
        assertThat(get("api/pins?" + delegation).status).isEqualTo(403);

        alice.doAs((PrivilegedExceptionAction<Void>) () -> {
            secure.nameNode().getRpcServer().cancelDelegationToken(token);
            return null;
        });
        for (String wrong :
                new String[] {delegation, "delegation=AAAA", "delegation=", "delegation=%00%FF", "delegation=x.y"}) {
            Answer answer = get("api/explain?path=" + OF_ALICE + "&" + wrong);
            assertThat(answer.status).as(wrong + answer.body).isIn(400, 403);
            assertThat(answer.body).doesNotContain(OF_ALICE);
        }
    }

    private static Token<DelegationTokenIdentifier> token() throws Exception {
        NameNode nameNode = secure.nameNode();
        return alice.doAs((PrivilegedExceptionAction<Token<DelegationTokenIdentifier>>)
                () -> nameNode.getRpcServer().getDelegationToken(new Text("alice")));
    }
}
