package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that was renamed after a snapshot and then deleted: the NameNode still finds it by its number. */
@Tag("cluster")
class PathLookupTest {

    @TempDir
    private java.nio.file.Path dir;

    private MiniDFSCluster cluster;
    private DistributedFileSystem fs;
    private FSNamesystem namesystem;

    @BeforeEach
    void start() throws IOException {
        HdfsConfiguration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.audit.loggers", "default," + AnnotationAuditLogger.class.getName());
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile())
                .numDataNodes(0)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        namesystem = cluster.getNamesystem();
    }

    @AfterEach
    void stop() {
        cluster.shutdown(true);
    }

    /** Sets an attribute and a storage policy of such a file by its number, then deletes it. */
    private String orphan() throws IOException {
        Path user = new Path("/u");
        Path renamed = new Path(user, "g");
        fs.create(new Path(user, "f"), (short) 1).close();
        fs.allowSnapshot(user);
        fs.createSnapshot(user, "s1");
        fs.rename(new Path(user, "f"), renamed);
        long id = fs.getClient().getFileInfo("/u/g").getFileId();
        String byId = "/.reserved/.inodes/" + id;
        fs.setXAttr(new Path(byId), "user.terrace.place", new byte[] {1}, EnumSet.of(XAttrSetFlag.CREATE));
        fs.setStoragePolicy(new Path(byId), "HOT");
        fs.delete(renamed, false);
        assertThat(namesystem.getFSDirectory().getInode(id)).isNotNull();
        return byId;
    }

    @Test
    void fileThatOnlyASnapshotHas_isAtNoPath() throws IOException {
        String byId = orphan();
        NamesystemLock.FS.readLock(namesystem);
        try {
            assertThat(PathLookup.at(namesystem.getFSDirectory(), byId)).isNull();
            assertThat(PathLookup.at(namesystem.getFSDirectory(), "/u")).isNotNull();
            assertThat(PathLookup.at(namesystem.getFSDirectory(), "/u/none")).isNull();
        } finally {
            NamesystemLock.FS.readUnlock(namesystem, "test");
        }
    }

    @Test
    void changesOfSuchAFile_areTaken() throws IOException {
        String byId = orphan();
        NamesystemView view = new NamesystemView(namesystem, new MetricRegistry(), 100);
        assertThat(view.annotationsVersion()).isNotNegative();
        assertThat(view.policyGaps().changed(true)).isSubsetOf(List.of(byId));
    }
}
