package io.terrace.client;

import static io.terrace.client.AccessorFixture.block;
import static io.terrace.client.AccessorFixture.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients in processes, and in class loaders, of their own. */
class ProcessesTest {
    private static final int LENGTH = 3_000_000;

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    @BeforeEach
    void start() throws Exception {
        fixture.node.put(block(1), content(1, LENGTH));
    }

    /** Reads for ever; its own process. */
    static final class Reader {
        public static void main(String[] args) throws Exception {
            Configuration conf = new Configuration(false);
            conf.set("terrace.channel.dir", args[0]);
            conf.set("terrace.client.grant.timeout", "20s");
            ReplicaAccessor accessor = new TerraceAccessorBuilder()
                    .setAllowShortCircuitReads(true)
                    .setBlock(1, AccessorFixture.POOL)
                    .setGenerationStamp(1001)
                    .setBlockAccessToken(new byte[0])
                    .setConfiguration(conf)
                    .setVisibleLength(LENGTH)
                    .build();
            byte[] target = new byte[100_000];
            for (int i = 0; ; i++) {
                accessor.read(i % 2_000_000, target, 0, target.length);
                if (i == 10) {
                    System.out.println("reading");
                }
            }
        }
    }

    @Test
    void client_killedWhileReading_leavesNothingBehind_andOthersReadOn() throws Exception {
        ReplicaAccessor ours = fixture.build(1, LENGTH);
        List<Process> killed = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            killed.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Reader.class.getName(),
                            fixture.channel.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        }
        for (Process process : killed) {
            // Hadoop may say something first.
            assertThat(process.inputReader().lines().anyMatch("reading"::equals))
                    .isTrue();
        }
        assertThat(fixture.node.held()).isEqualTo(3);
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.node.reportedBytes.get() > 0);
        killed.forEach(Process::destroyForcibly);
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.node.held() == 1);
        assertThat(fixture.node.ends).containsExactly("lost", "lost");
        byte[] target = new byte[LENGTH];
        assertThat(ours.read(0, target, 0, LENGTH)).isEqualTo(LENGTH);
        assertThat(Arrays.equals(target, content(1, LENGTH))).isTrue();
        LocalDataNodes.closeAll();
        fixture.node.retire(block(1));
        await().until(() -> fixture.node.files() == 0);
    }

    @Test
    void client_inAnotherClassLoader_readsBesideUs() throws Exception {
        assertThat(fixture.build(1, LENGTH)).isNotNull();
        try (OwnTerrace loader = new OwnTerrace(ProcessesTest.class.getClassLoader())) {
            Class<?> other = loader.loadClass(TerraceAccessorBuilder.class.getName());
            assertThat(other).isNotSameAs(TerraceAccessorBuilder.class);
            ReplicaAccessorBuilder builder =
                    (ReplicaAccessorBuilder) other.getConstructor().newInstance();
            ReplicaAccessor accessor = builder.setAllowShortCircuitReads(true)
                    .setBlock(1, AccessorFixture.POOL)
                    .setGenerationStamp(1001)
                    .setBlockAccessToken(new byte[] {1, 2, 3})
                    .setConfiguration(fixture.conf)
                    .setVisibleLength(LENGTH)
                    .build();
            byte[] target = new byte[LENGTH];
            assertThat(accessor.read(0, target, 0, LENGTH)).isEqualTo(LENGTH);
            assertThat(Arrays.equals(target, content(1, LENGTH))).isTrue();
            assertThat(fixture.node.held()).isEqualTo(2);
            Method closeAll = loader.loadClass(LocalDataNodes.class.getName()).getDeclaredMethod("closeAll");
            closeAll.setAccessible(true);
            closeAll.invoke(null);
            await().until(() -> fixture.node.held() == 1);
        }
    }
}
