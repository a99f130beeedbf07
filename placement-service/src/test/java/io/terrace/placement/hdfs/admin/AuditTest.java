package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.placement.hdfs.NameNodePluginTest;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every verb that changes something leaves a line in the audit log, done or refused. */
@Tag("cluster")
class AuditTest {

    private static final long BLOCK = 1 << 20;
    private static final String FILE = "/audited";
    private static final int ACTIVE = 0;
    private static final int STANDBY = 1;

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static StandInDataNode dataNode;
    private static LoggedLines log;

    @BeforeAll
    static void start() throws Exception {
        Configuration conf = NameNodePluginTest.conf();
        conf.set("terrace.placement.admin.acl", "operator");
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile())
                .nnTopology(MiniDFSNNTopology.simpleHATopology())
                .build();
        cluster.waitActive();
        cluster.transitionToActive(ACTIVE);
        DistributedFileSystem files = cluster.getFileSystem(ACTIVE);
        DFSTestUtil.createFile(files, new Path(FILE), BLOCK, (short) 1, 7);
        files.setOwner(new Path(FILE), "owner", "users");
        dataNode = new StandInDataNode(
                NameNodePluginTest.service(cluster, ACTIVE),
                cluster.getConfiguration(ACTIVE),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem(ACTIVE).getBlockPoolId(),
                8 * BLOCK);
        await().atMost(Duration.ofSeconds(20)).until(dataNode::beat, HeartbeatResponseProto::getActive);
        log = new LoggedLines(AuditLog.LOGGER);
    }

    @AfterAll
    static void stop() {
        log.close();
        if (dataNode != null) {
            dataNode.close();
        }
        cluster.shutdown(true);
    }

    private static ChangeRequestProto request(VerbProto verb, String target) {
        ChangeRequestProto.Builder request = ChangeRequestProto.newBuilder().setVerb(verb);
        switch (verb) {
            case PROMOTE_NOW, DEMOTE_NOW, PIN, UNPIN, RELEASE -> request.setTarget(target);
            case APPLY_POLICY, REHEARSE_POLICY -> request.setPolicyText("policy: lru\n");
            case RESIZE -> request.setCapacityBytes(64 << 20);
            default -> {}
        }
        return request.build();
    }

    private static ChangeResponseProto change(String user, VerbProto verb, String target) throws Exception {
        return change(ACTIVE, user, request(verb, target));
    }

    private static ChangeResponseProto change(int nameNode, String user, ChangeRequestProto request) throws Exception {
        return UserGroupInformation.createUserForTesting(user, new String[] {"users"})
                .doAs((PrivilegedExceptionAction<ChangeResponseProto>) () -> {
                    Configuration conf = cluster.getConfiguration(nameNode);
                    RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
                    PlacementAdminPB proxy = RPC.getProxy(
                            PlacementAdminPB.class,
                            RPC.getProtocolVersion(PlacementAdminPB.class),
                            NameNodePluginTest.service(cluster, nameNode),
                            conf);
                    try {
                        return proxy.change(null, request);
                    } catch (ServiceException e) {
                        throw (IOException) e.getCause();
                    } finally {
                        RPC.stopProxy(proxy);
                    }
                });
    }

    private static String command(VerbProto verb) {
        return "cmd=terrace." + verb.name().toLowerCase(Locale.ROOT).replace("_now", "") + "\t";
    }

    @Test
    void change_withEachVerb_isAuditedRefusedOrDone() throws Exception {
        for (VerbProto verb : VerbProto.values()) {
            for (String user : List.of("stranger", "owner")) {
                log.lines().clear();
                assertThatThrownBy(() -> change(user, verb, FILE))
                        .as(verb.name())
                        .hasMessageContaining("may not change");
                assertThat(log.lines())
                        .singleElement()
                        .asString()
                        .startsWith("allowed=false\tugi=" + user + " ")
                        .contains(command(verb))
                        .endsWith("result=denied");
            }
            log.lines().clear();
            assertThat(change("operator", verb, FILE).getAccepted())
                    .as(verb.name())
                    .isEqualTo(1);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("allowed=true\tugi=operator ")
                    .contains(command(verb))
                    .endsWith("result=1 accepted, 0 refused");
            // The DataNode carries out what was ordered, so that the next verb finds no open move.
            dataNode.beat();
            dataNode.beat();
        }
    }

    @Test
    void change_thatFails_isAuditedToo() {
        log.lines().clear();
        assertThatThrownBy(() -> change("operator", VerbProto.PIN, "/no/such")).hasMessageContaining("/no/such");
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("allowed=true\tugi=operator ")
                .contains("cmd=terrace.pin\tsrc=/no/such\t", "result=failed: ");
    }

    @Test
    void change_onAStandby_isAuditedToo() {
        log.lines().clear();
        assertThatThrownBy(() -> change(STANDBY, "operator", request(VerbProto.PIN, FILE)))
                .hasMessageContaining("not active");
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("allowed=true\tugi=operator ")
                .contains("cmd=terrace.pin\tsrc=" + FILE + "\t", "result=failed: placement is not active");
    }

    @Test
    void change_ofAnEndlessTarget_leavesALineThatEnds() {
        String endless = "/" + "x".repeat(1 << 20);
        for (String user : List.of("stranger", "operator")) {
            log.lines().clear();
            assertThatThrownBy(() -> change(user, VerbProto.PIN, endless)).isInstanceOf(IOException.class);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .as("target and result are cut")
                    .contains("src=" + endless.substring(0, AuditLog.LONGEST) + "...\t")
                    .hasSizeLessThan(3 * AuditLog.LONGEST);
        }
    }

    @Test
    void change_ofAPolicyByAnUnauthorizedUser_isRefusedBeforeAnybodyReadsThePolicy() {
        for (String text : List.of("policy: lru\n", "{".repeat(20_000))) {
            log.lines().clear();
            assertThatThrownBy(() -> change(
                            ACTIVE,
                            "stranger",
                            ChangeRequestProto.newBuilder()
                                    .setVerb(VerbProto.APPLY_POLICY)
                                    .setPolicyText(text)
                                    .build()))
                    .hasMessageContaining("may not change");
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("src=null\t")
                    .endsWith("result=denied");
        }
    }

    @Test
    void onOneLine_controlCharacters_areWrittenOut() {
        assertThat(AuditLog.onOneLine("a\tb\nc")).isEqualTo("a\\u0009b\\u000ac");
    }
}
