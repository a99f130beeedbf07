package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
final class TerraceFileSystemTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final long SEED = 20261121;

    @TempDir
    static Path dir;

    private static MiniDFSCluster cluster;
    private static Configuration conf;

    @BeforeAll
    static void start() throws IOException {
        conf = new HdfsConfiguration();
        conf.setLong("dfs.blocksize", BLOCK_BYTES);
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.set("fs.AbstractFileSystem.hdfs.impl", TerraceAbstractFileSystem.class.getName());
        conf.setBoolean("fs.hdfs.impl.disable.cache", true);
        cluster = new MiniDFSCluster.Builder(conf, new File(dir.toFile(), "cluster"))
                .numDataNodes(2)
                .build();
        cluster.waitActive();
    }

    @AfterAll
    static void stop() {
        cluster.shutdown();
    }

    @Test
    void open_withTheClass_readsWhatWasWritten() throws IOException {
        byte[] written = write("/plain", 3 * BLOCK_BYTES + 17);
        try (TerraceFileSystem fs = ours();
                FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path("/plain"))) {
            assertThat(fs.readsMemoryFirst()).isTrue();
            assertThat(in.readAllBytes()).isEqualTo(written);
        }
    }

    @Test
    void open_asOftenAsStock_asksTheNameNodeAsOftenAsStock() throws IOException {
        write("/opened", 2 * BLOCK_BYTES);
        long stock = locationCallsFor(stockConf());
        long ours = locationCallsFor(conf);
        assertThat(stock).isEqualTo(10);
        assertThat(ours).isEqualTo(stock);
    }

    @Test
    void initialize_disabled_isStock() throws IOException {
        Configuration off = new Configuration(conf);
        off.setBoolean("terrace.enabled", false);
        byte[] written = write("/off", 1000);
        try (TerraceFileSystem fs = (TerraceFileSystem) FileSystem.get(uri(), off);
                FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path("/off"))) {
            assertThat(fs.readsMemoryFirst()).isFalse();
            assertThat(in.readAllBytes()).isEqualTo(written);
        }
    }

    /** As where an application brings Terrace in a class loader of its own: its bridges reach nothing of Hadoop's then. */
    @Test
    void initialize_inAnotherClassLoaderThanHadoop_isStock() throws Exception {
        byte[] written = write("/apart", 2 * BLOCK_BYTES);
        try (OwnClassesFirst loader = new OwnClassesFirst()) {
            Configuration apart = new Configuration(conf);
            apart.setClassLoader(loader);
            try (FileSystem fs = FileSystem.newInstance(uri(), apart);
                    FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path("/apart"))) {
                assertThat(fs.getClass().getClassLoader()).isSameAs(loader);
                assertThat(fs.getClass().getMethod("readsMemoryFirst").invoke(fs))
                        .isEqualTo(false);
                assertThat(in.readAllBytes()).isEqualTo(written);
            }
        }
    }

    /** Loads Terrace's classes itself and leaves Hadoop's to the loader above. */
    private static final class OwnClassesFirst extends URLClassLoader {
        OwnClassesFirst() {
            super(
                    new URL[] {
                        TerraceFileSystem.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                    },
                    TerraceFileSystem.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.contains("Terrace") && !name.startsWith("io.terrace.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }

    @Test
    void close_closesTheClient() throws IOException {
        TerraceFileSystem fs = ours();
        fs.close();
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> fs.exists(new org.apache.hadoop.fs.Path("/")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Filesystem closed");
    }

    @Test
    void fileContext_withTheClass_readsAndListsAsStock() throws IOException {
        byte[] written = write("/context/file", BLOCK_BYTES + 5);
        FileContext context = FileContext.getFileContext(uri(), conf);
        assertThat(context.getDefaultFileSystem()).isInstanceOf(TerraceAbstractFileSystem.class);
        try (FSDataInputStream in = context.open(new org.apache.hadoop.fs.Path("/context/file"))) {
            assertThat(in.readAllBytes()).isEqualTo(written);
        }
        try (FSDataOutputStream out =
                context.create(new org.apache.hadoop.fs.Path("/context/made"), EnumSet.of(CreateFlag.CREATE))) {
            out.write(written);
        }
        assertThat(context.util().listStatus(new org.apache.hadoop.fs.Path("/context")))
                .hasSize(2);
        BlockLocation[] locations =
                context.getFileBlockLocations(new org.apache.hadoop.fs.Path("/context/made"), 0, Long.MAX_VALUE);
        assertThat(locations).hasSize(2);
    }

    @Test
    void open_erasureCodedFile_readsThroughStocksOwnStream() throws IOException {
        try (TerraceFileSystem fs = ours()) {
            org.apache.hadoop.fs.Path coded = new org.apache.hadoop.fs.Path("/coded");
            fs.mkdirs(coded);
            fs.enableErasureCodingPolicy("XOR-2-1-1024k");
            fs.setErasureCodingPolicy(coded, "XOR-2-1-1024k");
            byte[] bytes = random(3 * BLOCK_BYTES / 2);
            org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(coded, "file");
            cluster.startDataNodes(conf, 1, true, null, null);
            cluster.waitActive();
            try (FSDataOutputStream out = fs.create(file)) {
                out.write(bytes);
            }
            try (FSDataInputStream in = fs.open(file)) {
                assertThat(in.getWrappedStream().getClass().getSimpleName()).isEqualTo("DFSStripedInputStream");
                assertThat(in.readAllBytes()).isEqualTo(bytes);
            }
        }
    }

    private static long locationCallsFor(Configuration client) throws IOException {
        try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(uri(), client)) {
            byte[] buffer = new byte[4096];
            long before = locationCalls();
            for (int i = 0; i < 10; i++) {
                try (FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path("/opened"))) {
                    in.readFully(BLOCK_BYTES - 100, buffer);
                    in.readFully(buffer);
                }
            }
            return locationCalls() - before;
        }
    }

    private static long locationCalls() {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance().getSource("NameNodeActivity").getMetrics(collector, true);
        for (AbstractMetric metric : collector.getRecords().get(0).metrics()) {
            if (metric.name().equals("GetBlockLocations")) {
                return metric.value().longValue();
            }
        }
        throw new AssertionError("the NameNode does not count its GetBlockLocations calls");
    }

    private static TerraceFileSystem ours() throws IOException {
        return (TerraceFileSystem) FileSystem.newInstance(uri(), conf);
    }

    private static Configuration stockConf() {
        Configuration stock = new Configuration(conf);
        stock.set("fs.hdfs.impl", DistributedFileSystem.class.getName());
        return stock;
    }

    private static byte[] write(String path, int lengthBytes) throws IOException {
        byte[] bytes = random(lengthBytes);
        try (FileSystem fs = FileSystem.newInstance(uri(), stockConf());
                FSDataOutputStream out = fs.create(new org.apache.hadoop.fs.Path(path))) {
            out.write(bytes);
        }
        return bytes;
    }

    private static byte[] random(int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    private static URI uri() {
        return cluster.getURI();
    }
}
