package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.TerraceAccessorBuilder;
import io.terrace.fs.TerraceFileSystem;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.Test;

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
}
