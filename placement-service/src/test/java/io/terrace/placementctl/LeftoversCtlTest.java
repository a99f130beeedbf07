package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code leftovers} in the namespace of a stock NameNode that once had Terrace. */
@Tag("cluster")
class LeftoversCtlTest {

    @TempDir
    private java.nio.file.Path dir;

    @Test
    void leftovers_areListed_thenRemoved_andNothingElseIs() throws Exception {
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        new HdfsConfiguration(), dir.resolve("dfs").toFile())
                .numDataNodes(0)
                .build()) {
            cluster.waitActive();
            DistributedFileSystem fs = cluster.getFileSystem();
            fs.create(new Path("/a/b/file"), (short) 1).close();
            set(fs, "/", "trusted.terrace.policy");
            set(fs, "/", "trusted.terrace.satisfied");
            set(fs, "/a", "trusted.terrace.place");
            set(fs, "/a/b/file", "user.terrace.tiers");
            set(fs, "/a/b/file", "user.mine");
            CtlSession ctl = CtlSession.of(dir.resolve("conf"), fs.getUri(), "localhost:1");

            assertThat(ctl.run("leftovers", "/a/b")).as(ctl.err).isZero();
            assertThat(ctl.out)
                    .isEqualTo(
                            """
                            user.terrace.tiers of /a/b/file
                            1 attributes of Terrace, 2 files and directories looked at
                            """);
            assertThat(ctl.run("leftovers", "--remove", "--json")).as(ctl.err).isZero();
            assertThat(ctl.out)
                    .contains("trusted.terrace.policy", "trusted.terrace.satisfied", "trusted.terrace.place")
                    .containsPattern("\"removed\" ?: ?true");

            assertThat(fs.listXAttrs(new Path("/"))).isEmpty();
            assertThat(fs.listXAttrs(new Path("/a"))).isEmpty();
            assertThat(fs.listXAttrs(new Path("/a/b/file"))).containsExactly("user.mine");
            assertThat(ctl.run("leftovers")).isZero();
            assertThat(ctl.out).startsWith("0 attributes of Terrace, 4 files");
        }
    }

    private static void set(DistributedFileSystem fs, String path, String name) throws Exception {
        fs.setXAttr(new Path(path), name, "x".getBytes(StandardCharsets.UTF_8));
    }
}
