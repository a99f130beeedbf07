package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.AddressSpace;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataNodeConfigTest {

    private static final long MS = 1_000_000;

    private static Configuration required() {
        Configuration conf = new Configuration(false);
        conf.set("terrace.datanode.memory.dir", "/memory");
        conf.set("terrace.datanode.memory.capacity", "4g");
        return conf;
    }

    /** What each accessor says, by its name. */
    private static Map<String, String> values(Configuration conf) throws ReflectiveOperationException {
        DataNodeConfig settings = new DataNodeConfig(conf).check();
        Map<String, String> values = new TreeMap<>();
        for (Method method : DataNodeConfig.class.getDeclaredMethods()) {
            if (java.lang.reflect.Modifier.isPublic(method.getModifiers())
                    && method.getParameterCount() == 0
                    && !method.getName().equals("check")) {
                values.put(method.getName(), String.valueOf(method.invoke(settings)));
            }
        }
        return values;
    }

    @Test
    void values_ofWhatIsRequiredAlone_areTheDocumentedDefaults() throws Exception {
        assertThat(values(required()))
                .isEqualTo(new TreeMap<>(Map.ofEntries(
                        Map.entry("enabled", "true"),
                        Map.entry("channelDir", "null"),
                        Map.entry("memoryDir", "/memory"),
                        Map.entry("capacityBytes", String.valueOf(4L << 30)),
                        Map.entry("capacityMaxBytes", String.valueOf(4L << 30)),
                        Map.entry("requireTmpfs", "true"),
                        Map.entry("extentsMax", "65536"),
                        Map.entry("copyThreads", "2"),
                        Map.entry("copyBytesPerSecond", "0"),
                        Map.entry("copyQueue", "4096"),
                        Map.entry("moveThreads", "2"),
                        Map.entry("moveQueue", "1024"),
                        Map.entry("moveGuard", "false"),
                        Map.entry("scrubBytesPerSecond", String.valueOf(8 << 20)),
                        Map.entry("scrubIntervalMs", "3600000"),
                        Map.entry("dropSourcePages", "true"),
                        Map.entry("lentTimeoutNs", String.valueOf(900_000 * MS)),
                        Map.entry("nvmEnabled", "true"),
                        Map.entry("nvmExtentsMax", "16384"),
                        Map.entry("nvmLocal", "false"),
                        Map.entry("nvmLocalDirs", "[]"),
                        Map.entry("regionBytes", String.valueOf(16L << 40)),
                        Map.entry("regionRestNs", String.valueOf(10_000 * MS)),
                        Map.entry(
                                "grantLimits",
                                "Limits[grants=262144, grantsPerPeer=16384, leaseNs=60000000000, deadlineNs=5000000000,"
                                        + " bytesPerSecond=68719476736, readsPerSecond=20000000]"),
                        Map.entry("heartbeatIntervalMs", "1000"),
                        Map.entry("heartbeatSoonestMs", "200"),
                        Map.entry("heartbeatTimeoutMs", "5000"),
                        Map.entry("heatBlocksMax", "16384"),
                        Map.entry("writeThroughMaxBytes", String.valueOf(1L << 30)))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "terrace.enabled                               | false  | enabled             | false",
                "terrace.channel.dir                           | /run/t | channelDir          | /run/t",
                "terrace.datanode.memory.dir                   | /x/y   | memoryDir           | /x/y",
                "terrace.datanode.memory.capacity              | 8k     | capacityBytes       | 8192",
                "terrace.datanode.memory.capacity.max          | 8g     | capacityMaxBytes    | 8589934592",
                "terrace.datanode.move.guard                   | true   | moveGuard           | true",
                "terrace.datanode.memory.require-tmpfs         | false  | requireTmpfs        | false",
                "terrace.datanode.memory.extents.max           | 1k     | extentsMax          | 1024",
                "terrace.datanode.memory.copy.threads          | 3      | copyThreads         | 3",
                "terrace.datanode.memory.copy.bandwidth        | 1m     | copyBytesPerSecond  | 1048576",
                "terrace.datanode.memory.copy.queue            | 4      | copyQueue           | 4",
                "terrace.datanode.move.threads                 | 5      | moveThreads         | 5",
                "terrace.datanode.move.queue                   | 6      | moveQueue           | 6",
                "terrace.datanode.memory.scrub.bandwidth       | 5      | scrubBytesPerSecond | 5",
                "terrace.datanode.memory.scrub.interval        | 6s     | scrubIntervalMs     | 6000",
                "terrace.datanode.memory.drop-source-pages     | false  | dropSourcePages     | false",
                "terrace.datanode.memory.lent.timeout          | 7ms    | lentTimeoutNs       | 7000000",
                "dfs.datanode.cache.revocation.timeout.ms      | 8      | lentTimeoutNs       | 8000000",
                "terrace.datanode.nvm.enabled                  | false  | nvmEnabled          | false",
                "terrace.datanode.nvm.extents.max              | 9      | nvmExtentsMax       | 9",
                "terrace.datanode.nvm.local.dir                | /a, /b/../c | nvmLocalDirs   | [/a, /c]",
                "terrace.datanode.region.size                  | 20000000000 | regionBytes    | 19999997952",
                "terrace.datanode.region.rest                  | 11ms   | regionRestNs        | 11000000",
                "terrace.datanode.heartbeat.interval           | 12ms   | heartbeatIntervalMs | 12",
                "terrace.datanode.heartbeat.interval.min       | 13ms   | heartbeatSoonestMs  | 13",
                "terrace.datanode.heartbeat.timeout            | 1400ms | heartbeatTimeoutMs  | 1400",
                "terrace.datanode.heat.blocks.max              | 16     | heatBlocksMax       | 16",
            })
    void value_ofAKey_isTaken(String key, String text, String accessor, String value) throws Exception {
        Configuration conf = required();
        conf.set(key, text);
        assertThat(values(conf)).containsEntry(accessor, value);
    }

    @Test
    void check_aDirectoryOfNvmThatIsNotAbsolute_namesIt() {
        Configuration conf = required();
        conf.set("terrace.datanode.nvm.local.dir", "/a,b");
        assertThatThrownBy(() -> new DataNodeConfig(conf).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("terrace.datanode.nvm.local.dir is b; it must be absolute paths");
    }

    @Test
    void nvmLocal_needsTheChannelAndNvm() {
        Configuration conf = required();
        conf.set("terrace.datanode.nvm.local.dir", "/a");
        assertThat(new DataNodeConfig(conf).nvmLocal()).isFalse();
        conf.set("terrace.channel.dir", "/run/t");
        assertThat(new DataNodeConfig(conf).nvmLocal()).isTrue();
        conf.set("terrace.datanode.nvm.enabled", "false");
        assertThat(new DataNodeConfig(conf).nvmLocal()).isFalse();
    }

    @Test
    void grantLimits_areTaken() {
        Configuration conf = required();
        conf.set("terrace.datanode.grants.max", "1");
        conf.set("terrace.datanode.grants.per-peer.max", "2");
        conf.set("terrace.datanode.grants.lease", "300ms");
        conf.set("terrace.datanode.grants.deadline", "40ms");
        assertThat(new DataNodeConfig(conf).grantLimits().toString())
                .contains("grants=1, grantsPerPeer=2, leaseNs=300000000, deadlineNs=40000000");
    }

    @Test
    void check_aRegionThatIsTooSmall_namesBothKeys() {
        Configuration conf = required();
        conf.set("terrace.datanode.region.size", "6g");
        assertThatThrownBy(() -> new DataNodeConfig(conf).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.datanode.region.size is 6442450944")
                .hasMessageContaining("terrace.datanode.memory.capacity, which is 4294967296");
    }

    @Test
    void check_aBoundBelowTheCapacity_namesBothKeys() {
        Configuration conf = required();
        conf.set("terrace.datanode.memory.capacity.max", "1g");
        assertThatThrownBy(() -> new DataNodeConfig(conf).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.datanode.memory.capacity.max is 1073741824")
                .hasMessageContaining("terrace.datanode.memory.capacity, which is 4294967296");
    }

    @Test
    void check_aWrongValueThatIsReadLater_refusesIt() {
        Configuration conf = required();
        conf.set("terrace.datanode.grants.lease", "1ms");
        assertThatThrownBy(() -> new DataNodeConfig(conf).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.datanode.grants.lease is 1ms");
    }

    @Test
    void leastCapacityAndRegion_areWholePages() {
        assertThat(TerraceSettings.DATANODE_MEMORY_CAPACITY.least()).isEqualTo(AddressSpace.PAGE_BYTES);
        assertThat(TerraceSettings.DATANODE_REGION_SIZE.least()).isEqualTo(2L * AddressSpace.PAGE_BYTES);
    }
}
