package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placementctl.command.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code annotate}, {@code annotations} and what {@code explain} says of them. */
@Tag("cluster")
class AnnotationsCtlTest {

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    private static CtlSession ctl;
    private static java.nio.file.Path policy;

    @BeforeAll
    static void start() throws Exception {
        policy = Files.writeString(
                dir.resolve("placement.yaml"),
                "policy: idecider\nrules:\n  - path: /w/**\n    tiers: ssd..disk\n  - path: /open/**\n    annotations: [tiers]\n");
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        configuration.set("terrace.placement.policy.file", policy.toString());
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile())
                .numDataNodes(0)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        ctl = CtlSession.of(
                dir.resolve("conf"),
                fs.getUri(),
                CtlSession.service(cluster.getNameNode().getConf()));
        await().atMost(Duration.ofMinutes(1)).until(() -> ctl.run("status") == 0);
    }

    @AfterAll
    static void stop() {
        cluster.shutdown(true);
    }

    private static void file(String path) throws Exception {
        fs.create(new Path(path), (short) 1).close();
    }

    @Test
    void eachWord_isShownWithItsSource() throws Exception {
        file("/w/a/file");
        assertThat(ctl.run("annotate", "/w/a", "tiers=disk", "keep=7d"))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out)
                .contains("user.terrace.tiers of /w/a is disk")
                .containsPattern("(?s)ignored: user.terrace.keep '7d' of /w/a: .*annotations: \\[keep\\]")
                .doesNotContain("ignored: user.terrace.tiers");
        assertThat(ctl.run("annotate", "/w", "--trusted", "place=prefer")).isZero();
        assertThat(fs.getXAttr(new Path("/w"), "trusted.terrace.place"))
                .isEqualTo("prefer".getBytes(StandardCharsets.UTF_8));
        assertThat(ctl.run("annotations", "/w/a/file")).as(ctl.err).isZero();
        assertThat(ctl.out)
                .containsPattern("tiers +disk +user.terrace.tiers of /w/a")
                .containsPattern("place +prefer +trusted.terrace.place of /w")
                .containsPattern("replicas +one +rule 1 of the policy")
                .containsPattern("(?s)ignored: user.terrace.keep '7d' of /w/a: .*annotations: \\[keep\\]");
        assertThat(ctl.run("annotations", "/w/a/file", "--json")).isZero();
        assertThat(ctl.json().at("/words/0/source").asText()).isEqualTo("trusted");
        assertThat(ctl.json().at("/ignored/0/attribute").asText()).isEqualTo("user.terrace.keep");
        assertThat(ctl.run("explain", "/w/a/file")).as(ctl.err).isZero();
        assertThat(ctl.out)
                .contains("annotation: tiers disk, user.terrace.tiers of /w/a")
                .contains("ignored: user.terrace.keep");

        fs.rename(new Path("/w/a"), new Path("/b"));
        assertThat(ctl.run("annotations", "/b/file")).isZero();
        assertThat(ctl.out)
                .as("no rule allows them here, and nothing above says anything")
                .contains("neither a rule nor an annotation", "ignored: user.terrace.tiers 'disk' of /b");

        assertThat(ctl.run("annotate", "/b", "--remove", "tiers,keep,pool", "place=never", "--json"))
                .isZero();
        assertThat(ctl.json().at("/removed").size()).isEqualTo(2);
        assertThat(fs.listXAttrs(new Path("/b"))).containsExactly("user.terrace.place");
        assertThat(ctl.run("annotate", "/b", "--remove", "tiers")).isEqualTo(ExitCode.REFUSED);
        assertThat(ctl.out).contains("user.terrace.tiers is not set on /b");
    }

    @Test
    void rights_areThoseOfTheFileSystem() throws Exception {
        fs.mkdirs(new Path("/open/alices"));
        fs.setOwner(new Path("/open/alices"), "alice", "users");
        file("/open/alices/file");
        fs.setPermission(new Path("/open/alices"), new FsPermission((short) 0700));
        assertThat(ctl.runAs("alice", "annotate", "/open/alices", "tiers=ssd..disk"))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.runAs("bob", "annotate", "/open/alices", "tiers=nvm")).isEqualTo(ExitCode.REFUSED);
        assertThat(ctl.err).contains("Permission denied");
        assertThat(ctl.runAs("alice", "annotate", "/open/alices", "--trusted", "tiers=nvm"))
                .isEqualTo(ExitCode.REFUSED);
        fs.setXAttr(new Path("/open/alices"), "trusted.terrace.weight", new byte[] {(byte) 0xff});
        assertThat(ctl.runAs("alice", "annotations", "/open/alices"))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out)
                .containsPattern("tiers +ssd..disk +user.terrace.tiers")
                .doesNotContain("trusted");
        assertThat(ctl.runAs("bob", "annotations", "/open/alices/file")).isEqualTo(ExitCode.REFUSED);
        assertThat(ctl.run("annotations", "/open/alices")).isZero();
        assertThat(ctl.out).contains("ignored: trusted.terrace.weight");
        assertThat(ctl.run("annotations", "/nowhere")).isEqualTo(ExitCode.REFUSED);
        assertThat(ctl.err).contains("/nowhere");
        assertThat(ctl.run("annotate", "/nowhere", "place=never")).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void garbageInAttributes_isNamedAndIgnored_andTheOthersHold() throws Exception {
        file("/w/g/file");
        Path garbled = new Path("/w/g");
        byte[] noise = new byte[8_000];
        new Random(3).nextBytes(noise);
        fs.setXAttr(garbled, "user.terrace.tiers", "disk..ssd".getBytes(StandardCharsets.UTF_8));
        fs.setXAttr(garbled, "user.terrace.place", noise);
        fs.setXAttr(garbled, "user.terrace.pool", "\u001b[31mred\n".getBytes(StandardCharsets.UTF_8));
        fs.setXAttr(garbled, "user.terrace.tirs", "ssd".getBytes(StandardCharsets.UTF_8));
        fs.setXAttr(garbled, "trusted.terrace.keep", new byte[0]);
        fs.setXAttr(garbled, "trusted.terrace.weight", "9".repeat(400).getBytes(StandardCharsets.UTF_8));
        fs.setXAttr(garbled, "trusted.terrace.satisfy", "yes please".getBytes(StandardCharsets.UTF_8));
        fs.setXAttr(garbled, "trusted.terrace.replicas", "all".getBytes(StandardCharsets.UTF_8));
        assertThat(ctl.run("annotations", "/w/g/file", "--json")).as(ctl.err).isZero();
        List<String> ignored = new ArrayList<>();
        ctl.json().at("/ignored").forEach(each -> {
            ignored.add(each.at("/attribute").asText());
            assertThat(each.toString()).hasSizeLessThan(1_000);
        });
        assertThat(ignored)
                .contains(
                        "user.terrace.tiers",
                        "user.terrace.place",
                        "user.terrace.pool",
                        "user.terrace.tirs",
                        "trusted.terrace.keep",
                        "trusted.terrace.weight",
                        "trusted.terrace.satisfy");
        assertThat(ctl.run("annotations", "/w/g/file")).as(ctl.err).isZero();
        assertThat(ctl.out)
                .containsPattern("replicas +all +trusted.terrace.replicas of /w/g")
                .containsPattern("tiers +ssd..disk +rule 1 of the policy")
                .doesNotContain("\u001b");
        assertThat(ctl.run("explain", "/w/g/file")).as(ctl.err).isZero();
        assertThat(ctl.out).contains("ignored: user.terrace.tirs").doesNotContain("\u001b");
    }

    @Test
    void noServiceAnswers_annotationsAreSet_andThatIsSaid() throws Exception {
        file("/w/n/file");
        CtlSession alone = CtlSession.of(dir.resolve("alone"), fs.getUri(), "127.0.0.1:1");
        assertThat(alone.run("annotate", "/w/n", "place=never")).as(alone.err).isZero();
        assertThat(alone.out)
                .contains("user.terrace.place of /w/n is never")
                .contains("Whether they hold is not known: ");
        assertThat(fs.listXAttrs(new Path("/w/n"))).containsExactly("user.terrace.place");
    }

    @Test
    void snapshot_hasWhatItsFileHasNow() throws Exception {
        file("/w/s/file");
        fs.allowSnapshot(new Path("/w/s"));
        fs.createSnapshot(new Path("/w/s"), "one");
        assertThat(ctl.run("annotate", "/w/s", "tiers=ssd")).isZero();
        assertThat(ctl.run("annotations", "/w/s/.snapshot/one/file"))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out).contains("/w/s/file").containsPattern("tiers +ssd +user.terrace.tiers of /w/s");
    }

    @Test
    void rootDirectory_hasWhatTheServiceStoresThere_andAnnotations() throws Exception {
        assertThat(ctl.run("pause")).isZero();
        assertThat(ctl.run("resume")).isZero();
        assertThat(ctl.run("annotations", "/")).isZero();
        assertThat(ctl.out).contains("neither a rule nor an annotation").doesNotContain("ignored");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/w tirs=ssd                 | there is no word 'tirs'",
                "/w tiers=disk..ssd          | slower tier first; write ssd..disk",
                "/w place=pinn               | did you mean 'pin'?",
                "/w weight                   | 'weight' is not WORD=VALUE",
                "/w keep=7                   | e.g. 30m, 12h or 7d",
                "/w place=pin place=never    | place is given twice",
                "/w place=pin --remove place | place is to be set and removed",
                "/w --remove plase           | there is no word 'plase'",
                "/w                          | nothing to set or remove",
                "w place=never               | 'w' is no absolute path",
                "/w place=never --trusted --user | --trusted and --user exclude each other",
            })
    void wrongUsage_isRefusedBeforeAnythingIsSet(String arguments, String said) {
        assertThat(ctl.run(("annotate " + arguments).split(" +"))).isEqualTo(ExitCode.USAGE);
        assertThat(ctl.err).contains(said);
    }

    @Test
    void leftovers_areNotRemoved_whileAServiceRuns() throws Exception {
        file("/left/file");
        assertThat(ctl.run("annotate", "/left", "place=never")).as(ctl.err).isZero();

        assertThat(ctl.run("leftovers", "/left", "--remove")).isEqualTo(ExitCode.REFUSED);
        assertThat(ctl.err).contains("a placement service runs at");
        assertThat(ctl.run("leftovers", "/left")).as(ctl.err).isZero();
        assertThat(ctl.out).contains("user.terrace.place of /left");
    }
}
