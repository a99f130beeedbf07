package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.TerraceAccessorBuilder;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TerraceDfsClientTest {

    @Test
    void conf_isTheCallersOwn_andReadersAreWithoutOurAccessor() throws IOException {
        Configuration conf = new HdfsConfiguration();
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.set(HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY, TerraceAccessorBuilder.class.getName());
        // No call is made, so there need not be a NameNode.
        try (TerraceFileSystem fs =
                (TerraceFileSystem) FileSystem.newInstance(URI.create("hdfs://localhost:1"), conf)) {
            assertThat(fs.readsMemoryFirst()).isTrue();
            DFSClient client = fs.getClient();
            assertThat(client.getConfiguration())
                    .as("what is set later is seen, as by stock's client")
                    .isSameAs(conf);
            assertThat(client.getConf().getReplicaAccessorBuilderClasses()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void createAndAppend_withoutFlags_areRefusedAsByStock(boolean writes) throws IOException {
        Configuration conf = new HdfsConfiguration();
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.setBoolean(TerraceSettings.CLIENT_WRITE_ENABLED.key(), writes);
        try (TerraceFileSystem fs =
                (TerraceFileSystem) FileSystem.newInstance(URI.create("hdfs://localhost:1"), conf)) {
            DFSClient client = fs.getClient();
            assertThatThrownBy(() -> client.primitiveCreate(
                            "/file", FsPermission.getFileDefault(), null, true, (short) 1, 1 << 20, null, 4096, null))
                    .isInstanceOf(HadoopIllegalArgumentException.class);
            assertThatThrownBy(() -> client.append("/file", 4096, null, null, null))
                    .isInstanceOf(HadoopIllegalArgumentException.class);
        }
    }
}
