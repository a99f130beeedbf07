package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applied policies where two NameNodes take turns. */
@Tag("cluster")
class PolicyFailoverTest {

    @TempDir
    Path dir;

    @Test
    void apply_thenFailover_otherNameNodeObeysAndRollsBack() throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.policy", "idecider");
        conf.setInt("dfs.ha.tail-edits.period", 1);
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        conf, dir.resolve("dfs").toFile())
                .nnTopology(MiniDFSNNTopology.simpleHATopology())
                .numDataNodes(1)
                .build();
        try {
            cluster.waitActive();
            cluster.transitionToActive(0);
            CtlSession one = session(cluster, 0);
            CtlSession two = session(cluster, 1);
            inForce(one, "idecider");
            Path policy = Files.writeString(dir.resolve("p.yaml"), "policy: s3-fifo\n");
            assertThat(one.run("policy", "apply", policy.toString()))
                    .as(one.err)
                    .isZero();
            assertThat(two.run("policy", "show"))
                    .as("a standby decides nothing")
                    .isEqualTo(3);

            cluster.transitionToStandby(0);
            cluster.transitionToActive(1);
            inForce(two, "s3-fifo");
            assertThat(two.run("policy", "rollback")).as(two.err).isZero();
            inForce(two, "idecider");

            cluster.transitionToStandby(1);
            cluster.transitionToActive(0);
            inForce(one, "idecider");
            assertThat(one.run("policy", "history")).isZero();
            assertThat(one.out).contains("s3-fifo");
        } finally {
            cluster.shutdown(true);
        }
    }

    private CtlSession session(MiniDFSCluster cluster, int nameNode) throws Exception {
        String service = CtlSession.service(cluster.getNameNode(nameNode).getConf());
        return CtlSession.of(dir.resolve("conf" + nameNode), cluster.getURI(nameNode), service);
    }

    private static void inForce(CtlSession session, String policy) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> session.run("policy", "show", "--json") == 0
                        && session.json().get("policy").asText().equals(policy));
    }
}
