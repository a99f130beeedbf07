package io.terrace.client;

import static io.terrace.client.AccessorFixture.block;
import static io.terrace.client.AccessorFixture.content;
import static io.terrace.client.AccessorFixture.moved;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.FakeDataNode;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.metrics.Metric;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FallbackTest {
    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    @BeforeEach
    void start() throws Exception {
        fixture.node.put(block(1), content(1, 5000));
    }

    private void assertFallsBack(Metric reason) throws Exception {
        assertThat(moved(reason, () -> assertThat(fixture.build(1, 5000)).isNull()))
                .isEqualTo(1);
    }

    @Test
    void build_withoutDirectoryOrSwitchedOff_isOff() throws Exception {
        fixture.conf.set("terrace.enabled", "false");
        assertFallsBack(Metric.CLIENT_FALLBACK_OFF);
    }

    @ParameterizedTest
    @CsvSource({
        "terrace.client.mapped.max, lots",
        "terrace.client.mapped.max, -1",
        "terrace.client.grants.max, 0",
        "terrace.client.grant.timeout, 5 apples",
        "terrace.client.report.interval, -1s",
        "terrace.enabled, maybe",
        "terrace.client.grnat.timeout, 1s"
    })
    void build_withAWrongSetting_isCounted(String key, String value) throws Exception {
        fixture.conf.set(key, value);
        assertFallsBack(Metric.CLIENT_FALLBACK_SETTINGS);
    }

    @Test
    void build_withoutTheDirectory_isNoDatanode() throws Exception {
        fixture.conf.set("terrace.channel.dir", fixture.dir.resolve("absent").toString());
        assertFallsBack(Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    @Test
    void build_withADirectoryOthersMayWrite_isNoDatanode() throws Exception {
        Files.setPosixFilePermissions(fixture.channel, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertFallsBack(Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    /** On a host without a DataNode anybody may make the directory, if it is to be below /tmp. */
    @ParameterizedTest
    @CsvSource({"hdfs, false", "'hdfs, 54321', true"})
    void build_withADirectoryOfSomebodyElse_isNoDatanode_unlessTheSettingNamesHim(String owners, boolean believed)
            throws Exception {
        assumeThat(SocketDirectory.ownUid())
                .as("only root gives a directory away")
                .isZero();
        Files.setAttribute(fixture.channel, "unix:uid", 54_321);
        fixture.conf.set("terrace.channel.owner", owners);
        long asked = moved(Metric.CLIENT_GRANTS_ASKED, () -> {
            if (believed) {
                assertThat(fixture.build(1, 5000)).isNotNull();
            } else {
                assertFallsBack(Metric.CLIENT_FALLBACK_NO_DATANODE);
            }
        });
        assertThat(asked).isEqualTo(believed ? 1 : 0);
    }

    @Test
    void build_ofAbsentBlock_asksNobody() throws Exception {
        assertThat(fixture.build(1, 5000)).isNotNull();
        long asked = moved(Metric.CLIENT_GRANTS_ASKED, () -> {
            long notResident = moved(Metric.CLIENT_FALLBACK_NOT_RESIDENT, () -> {
                for (int id = 2; id < 102; id++) {
                    assertThat(fixture.build(id, 5000)).isNull();
                }
            });
            assertThat(notResident).isEqualTo(100);
        });
        assertThat(asked).isZero();
    }

    @Test
    void build_ofAFileUnderConstruction_isStock() throws Exception {
        assertThat(moved(Metric.CLIENT_FALLBACK_UNDER_CONSTRUCTION, () -> assertThat(
                                fixture.build(1, 5000, new byte[0], false))
                        .isNull()))
                .isEqualTo(1);
    }

    @Test
    void build_ofALongerReplicaThanTheExtent_isStock() throws Exception {
        assertThat(moved(Metric.CLIENT_FALLBACK_LENGTH, () -> assertThat(fixture.build(1, 5001))
                        .isNull()))
                .isEqualTo(1);
    }

    @Test
    void build_withARefusedToken_asksOnceAndPauses() throws Exception {
        fixture.node.wantedToken = new byte[] {42};
        long asked = moved(Metric.CLIENT_GRANTS_ASKED, () -> {
            for (int i = 0; i < 20; i++) {
                assertFallsBack(Metric.CLIENT_FALLBACK_REFUSED);
            }
        });
        assertThat(asked).isEqualTo(1);
        assertThat(fixture.build(1, 5000, new byte[] {42}, true)).isNotNull();
    }

    @Test
    void build_byAnotherUserOrWithAnotherToken_neverSharesAGrant() throws Exception {
        assertThat(fixture.build(1, 5000)).isNotNull();
        assertThat(fixture.build(1, 5000)).isNotNull();
        assertThat(fixture.node.held()).isEqualTo(1);
        assertThat(fixture.build(1, 5000, new byte[] {4}, true)).isNotNull();
        assertThat(fixture.node.held()).isEqualTo(2);
        UserGroupInformation other = UserGroupInformation.createRemoteUser("somebody-else");
        ReplicaAccessor theirs = other.doAs((PrivilegedExceptionAction<ReplicaAccessor>) () -> fixture.build(1, 5000));
        assertThat(theirs).isNotNull();
        assertThat(fixture.node.held()).isEqualTo(3);
    }

    @Test
    void build_whereTheMemoryIsNotSeen_isUnreachable_andGivesTheGrantBack() throws Exception {
        fixture.node.linksLead = false;
        assertFallsBack(Metric.CLIENT_FALLBACK_UNREACHABLE);
        await().until(() -> fixture.node.held() == 0);
    }

    @Test
    void build_withADatanodeThatHangs_endsInTime_andTheLateGrantGoesBack() throws Exception {
        fixture.conf.set("terrace.client.grant.timeout", "200ms");
        assertThat(fixture.build(2, 5000)).isNull();
        fixture.node.grantDelayMs = 600;
        assertFallsBack(Metric.CLIENT_FALLBACK_TIMEOUT);
        await().until(() -> fixture.node.users.size() == 1 && fixture.node.held() == 0);
        fixture.node.grantDelayMs = 0;
        await().until(() -> fixture.build(1, 5000) != null);
    }

    @Test
    void build_besideADatanodeThatSpeaksGarbage_readsFromTheGoodOne() throws Exception {
        try (ServerSocketChannel bad = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            bad.bind(UnixDomainSocketAddress.of(fixture.channel.resolve("bad.sock")));
            Thread speaker = new Thread(() -> {
                try (SocketChannel client = bad.accept()) {
                    client.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 3, 1, 99, 7, 7, 7}));
                    Thread.sleep(100);
                } catch (Exception e) {
                    // the client hung up
                }
            });
            speaker.start();
            assertThat(fixture.build(1, 5000)).isNotNull();
            speaker.join();
        }
    }

    @Test
    void build_besideADatanodeThatNeverAnswers_readsFromTheGoodOne() throws Exception {
        fixture.conf.set("terrace.client.grant.timeout", "300ms");
        try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            silent.bind(UnixDomainSocketAddress.of(fixture.channel.resolve("silent.sock")));
            assertThat(fixture.build(1, 5000)).isNotNull();
        }
    }

    @Test
    void build_withSomebodyPosingAsTheDatanode_isRefusedByTheClient() throws Exception {
        Path socket = fixture.node.server().socket();
        var nobody = socket.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        try {
            Files.setOwner(socket, nobody);
        } catch (java.nio.file.FileSystemException e) {
            assumeThat(false).as("only root may give a file away").isTrue();
        }
        assertFallsBack(Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    @Test
    void build_withSeveralDatanodes_findsTheOneThatHasTheBlock() throws Exception {
        FakeDataNode second = fixture.addNode("dn-2");
        second.put(block(9), content(9, 700));
        byte[] got = new byte[700];
        assertThat(fixture.build(9, 700).read(0, got, 0, 700)).isEqualTo(700);
        assertThat(got).isEqualTo(content(9, 700));
        assertThat(fixture.build(1, 5000)).isNotNull();
    }
}
