package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.placement.hdfs.NameNodePluginTest;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.protocol.MessageJson;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.util.RwLockMode;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page and its data, asked for over HTTP as Hadoop's filter for {@code user.name} lets users through. */
@Tag("cluster")
class PageServletTest {

    private static final long BLOCK = 1 << 20;
    private static final String ODD = "/<script>alert('1') \"&amp;\n\u202e\u00e4";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static String superuser;
    private static String web;

    @BeforeAll
    static void start() throws Exception {
        Configuration conf = NameNodePluginTest.conf();
        conf.set("hadoop.http.filter.initializers", "org.apache.hadoop.security.AuthenticationFilterInitializer");
        conf.set("hadoop.http.authentication.type", "simple");
        conf.set("hadoop.http.authentication.simple.anonymous.allowed", "true");
        conf.set("hadoop.proxyuser.gateway.users", "*");
        conf.set("hadoop.proxyuser.gateway.hosts", "*");
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile()).numDataNodes(1).build();
        cluster.waitActive();
        superuser = UserGroupInformation.getLoginUser().getShortUserName();
        web = "http://" + cluster.getNameNode().getHttpAddress().getHostString() + ":"
                + cluster.getNameNode().getHttpAddress().getPort();
        DistributedFileSystem fs = cluster.getFileSystem();
        DFSTestUtil.createFile(fs, new Path(null, null, ODD), BLOCK, (short) 1, 7);
        DFSTestUtil.createFile(fs, new Path("/private"), BLOCK, (short) 1, 7);
        fs.setPermission(new Path("/private"), new FsPermission("600"));
        try (StandInDataNode dataNode = new StandInDataNode(
                NameNodePluginTest.service(cluster, 0),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                8 * BLOCK)) {
            await().atMost(Duration.ofSeconds(20)).until(dataNode::beat, HeartbeatResponseProto::getActive);
            dataNode.reads(DFSTestUtil.getFirstBlock(fs, new Path(null, null, ODD)), 3);
            dataNode.reads(DFSTestUtil.getFirstBlock(fs, new Path("/private")), 3);
            dataNode.beat();
            dataNode.beat();
        }
        await().atMost(Duration.ofSeconds(20))
                .until(() -> get("api/status").statusCode() == 200 && get("").statusCode() == 200);
    }

    @AfterAll
    static void stop() {
        cluster.shutdown(true);
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(web + "/terrace/" + path))
                .method(method, BodyPublishers.noBody())
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return send("GET", path);
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body());
    }

    private static String explain(String path) {
        return "api/explain?path=" + URLEncoder.encode(path, StandardCharsets.UTF_8);
    }

    @Test
    void status_hasTheNumbersOfTheCommand() throws Exception {
        Configuration conf = cluster.getConfiguration(0);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        PlacementAdminPB admin = RPC.getProxy(
                PlacementAdminPB.class,
                RPC.getProtocolVersion(PlacementAdminPB.class),
                NameNodePluginTest.service(cluster, 0),
                conf);
        try {
            JsonNode command =
                    JSON.readTree(MessageJson.object(admin.status(null, StatusRequestProto.getDefaultInstance()))
                            .toString());
            JsonNode page = json(get("api/status"));
            assertThat(page.fieldNames()).toIterable().containsExactlyElementsOf(command::fieldNames);
            assertThat(page.get("figures").size())
                    .isEqualTo(command.get("figures").size());
            for (String id : new String[] {"placement.datanodes", "placement.read.bytes", "placement.blocks.tracked"}) {
                assertThat(page.get("figures").get(id))
                        .as(id)
                        .isEqualTo(command.get("figures").get(id));
            }
            assertThat(page.get("figures").get("placement.read.bytes").longValue())
                    .isEqualTo(6 * BLOCK);
        } finally {
            RPC.stopProxy(admin);
        }
    }

    @Test
    void methodOtherThanGet_isRefused() throws Exception {
        for (String method : new String[] {"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "PROPFIND"}) {
            for (String path : new String[] {"", "page.js", "api/status"}) {
                HttpResponse<String> answer = send(method, path);
                assertThat(answer.statusCode()).as(method).isEqualTo(405);
                assertThat(answer.headers().firstValue("Allow")).hasValue("GET");
                assertThat(answer.headers().map().keySet())
                        .noneMatch(header -> header.toLowerCase(Locale.ROOT).startsWith("access-control"));
            }
        }
        assertThat(send("TRACE", "").statusCode()).isGreaterThanOrEqualTo(400);
    }

    @Test
    void page_isSmallAndHasStrictHeaders() throws Exception {
        int bytes = 0;
        for (String file : new String[] {
            "", "page.css", "page.js", "elements.js", "questions.js", "charts.js", "uPlot.min.css", "uPlot.iife.min.js"
        }) {
            HttpResponse<String> answer = get(file);
            assertThat(answer.statusCode()).as(file).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .startsWith("default-src 'none'; script-src 'self';");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .isEmpty();
            bytes += answer.body().getBytes(StandardCharsets.UTF_8).length;
        }
        assertThat(bytes).isLessThan(150 * 1024);
        assertThat(get("PageServlet.class").statusCode()).isEqualTo(404);
    }

    @Test
    void oddName_comesBackAsItIs() throws Exception {
        JsonNode explained = json(get(explain(ODD) + "&user.name=" + superuser));
        assertThat(explained.get("path").textValue()).isEqualTo(ODD);
        assertThat(json(get("api/top?user.name=" + superuser)).findValuesAsText("path"))
                .containsExactlyInAnyOrder(ODD, "/private");
    }

    @Test
    void nobody_seesNoPath() throws Exception {
        for (String path : new String[] {"api/top", "api/pins", explain(ODD)}) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path).isEqualTo(403);
            assertThat(answer.body()).contains("users with a name").doesNotContain("script");
        }
        JsonNode cluster = json(get("api/cluster"));
        assertThat(cluster.get("nodes")).hasSize(1);
        assertThat(cluster.findValues("reason")).isEmpty();
        assertThat(json(get("api/cluster?user.name=alice")).get("movesEnded")).isNotEmpty();
        assertThat(json(get("api/viewer")).get("nobody").textValue()).isNotEmpty();
    }

    @Test
    void user_hasTheRightsThatHeHasByRpc() throws Exception {
        assertThat(get(explain("/private") + "&user.name=alice").statusCode())
                .as("as for a file that is missing")
                .isEqualTo(404);
        assertThat(get("api/pins?user.name=alice").statusCode()).isEqualTo(403);
        assertThat(json(get("api/pins?user.name=" + superuser)).get("pins")).isEmpty();
        assertThat(json(get("api/top?user.name=alice")).findValuesAsText("path"))
                .doesNotContain("/private");
        assertThat(get(explain("/none") + "&user.name=alice").statusCode()).isEqualTo(404);
    }

    @Test
    void userOnBehalfOfAnother_isThatUserWhereHeMay() throws Exception {
        assertThat(json(get("api/viewer?user.name=gateway&doas=alice"))
                        .get("user")
                        .textValue())
                .isEqualTo("alice");
        assertThat(get(explain("/private") + "&user.name=gateway&doas=alice").statusCode())
                .isEqualTo(404);
        assertThat(get("api/viewer?user.name=alice&doas=" + superuser).statusCode())
                .isEqualTo(403);
    }

    @Test
    void badParameters_areRefusedWithAReason() throws Exception {
        String as = "&user.name=" + superuser;
        for (String path : new String[] {
            "api/status?wrong=1",
            "api/explain?path=/a&path=/b" + as,
            explain("/" + "a".repeat(4096)) + as,
            "api/explain?path=" + as,
            "api/history?after=x",
            "api/history?after=99999999999999999999",
            "api/history?after=1&after=2",
            "api/top?count=1000000" + as,
            "api/viewer?user.name=alice&user.name=" + superuser,
            "api/viewer?user.name=alice&doAs=alice&doas=" + superuser,
            "api/explain?path=relative" + as,
            "api/cluster?" + "a".repeat(5000) + "=1",
            "api/cluster?<script>=1".replace("<", "%3C").replace(">", "%3E"),
        }) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(400);
            assertThat(answer.body()).as(path).startsWith("{").doesNotContain("<script");
            assertThat(JSON.readTree(answer.body()).get("error").textValue()).isNotEmpty();
        }
    }

    /** Hadoop's own filters read the parameters first, so the answer may be the web server's. */
    @Test
    void wronglyEscapedParameter_isRefused() throws Exception {
        for (String path : new String[] {"api/explain?path=%ff%fe", "api/history?after=%c3", "api/viewer?%ff=1"}) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(400);
        }
    }

    @Test
    void unknownPath_isRefusedWithoutItsName() throws Exception {
        for (String path :
                new String[] {"api/", "api/none", "api/status/", "..%2f..%2fjmx", "%3Cscript%3E", "page/index.html"}) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path).isIn(400, 404);
            assertThat(answer.body()).doesNotContain("<script");
        }
    }

    @Test
    void answer_isPackedForThoseWhoTakeThat() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(web + "/terrace/page.js"))
                .header("Accept-Encoding", "br, gzip;q=0.5")
                .build();
        HttpResponse<byte[]> packed = HTTP.send(request, BodyHandlers.ofByteArray());
        assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
                .isEqualTo(get("page.js").body().getBytes(StandardCharsets.UTF_8));
        assertThat(get("page.js").headers().firstValue("Content-Encoding")).isEmpty();
    }

    /** As many as would take every thread of the web server, if a slow one held its thread. */
    @Test
    void viewersThatReadNothing_leaveTheOthersTheirAnswers() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(1024);
                socket.connect(cluster.getNameNode().getHttpAddress());
                socket.getOutputStream()
                        .write("GET /terrace/uPlot.iife.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                slow.add(socket);
            }
            for (String path : new String[] {"", "page.js", "api/viewer", "api/status", "api/cluster", "api/history"}) {
                assertThat(get(path).statusCode()).as(path).isEqualTo(200);
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** Whoever wants the lock in any way, in whatever thread, waits while another one writes. */
    @Test
    void viewers_areAnsweredWithoutTheNamesystemsLock() throws Exception {
        FSNamesystem namesystem = cluster.getNamesystem();
        namesystem.writeLock(RwLockMode.GLOBAL);
        try {
            Set<Long> snapshots = new HashSet<>();
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                for (String path : new String[] {"", "api/viewer", "api/cluster", "api/history", "api/status"}) {
                    HttpResponse<String> answer = get(path);
                    assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(200);
                    if (path.equals("api/status")) {
                        snapshots.add(json(answer).get("upMs").longValue());
                    }
                }
                return snapshots.size() >= 3;
            });
        } finally {
            namesystem.writeUnlock(RwLockMode.GLOBAL, "PageServletTest");
        }
    }

    @Test
    void history_fillsByItself() throws Exception {
        JsonNode history = await().atMost(Duration.ofSeconds(20))
                .until(() -> json(get("api/history")), json -> json.get("usedBytes")
                        .has("memory"));
        int samples = history.get("atMs").size();
        assertThat(history.get("usedBytes").get("memory")).hasSize(samples);
        assertThat(history.get("readBytesPerSecond").get("replica")).hasSize(samples);
        long last = history.get("atMs").get(samples - 1).longValue();
        assertThat(json(get("api/history?after=" + (last + 3_600_000))).get("atMs"))
                .isEmpty();
    }
}
