package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.compat.Linkage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Linkage}, over all classes of Terrace that run in Hadoop's processes. */
final class LinkageTest {

    private static final List<String> ENTRIES = List.of(
            "io.terrace.client.TerraceAccessorBuilder",
            "io.terrace.datanode.hdfs.TerraceDataNodePlugin",
            "io.terrace.fs.TerraceAbstractFileSystem",
            "io.terrace.fs.TerraceFileSystem",
            "io.terrace.placement.hdfs.TerraceNameNodePlugin",
            "io.terrace.placementctl.PlacementCtl",
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");

    private final ClassLoader loader = LinkageTest.class.getClassLoader();

    @Test
    void unresolved_withTheHadoopOfThisBuild_isEmpty() throws IOException {
        assertThat(new Linkage(loader).unresolved(ENTRIES)).isEmpty();
    }

    @Test
    void unresolved_withoutAClassOfHadoop_namesIt() throws IOException {
        Linkage linkage = new Linkage(instead("org/apache/hadoop/hdfs/protocol/ExtendedBlock.class", null));
        assertThat(linkage.unresolved(ENTRIES)).contains("org.apache.hadoop.hdfs.protocol.ExtendedBlock");
    }

    /** Hadoop's dataset without the methods that are called and overridden. */
    @Test
    void unresolved_withoutMembers_namesThem() throws IOException {
        String dataset = "org/apache/hadoop/hdfs/server/datanode/fsdataset/impl/FsDatasetImpl";
        Linkage linkage = new Linkage(instead(dataset + ".class", Changed.class.getName()));
        assertThat(linkage.unresolved(ENTRIES))
                .anyMatch(missing -> missing.endsWith("FsDatasetImpl.getBlockInputStream"
                        + "(Lorg/apache/hadoop/hdfs/protocol/ExtendedBlock;J)Ljava/io/InputStream;"))
                .noneMatch(missing -> missing.contains(
                        "invalidateMissingBlock(" + "Ljava/lang/String;Lorg/apache/hadoop/hdfs/protocol/Block;Z)"));
    }

    /** Stands for a class of Hadoop that has changed. */
    private static final class Changed {}

    @Test
    void unresolved_withoutAClassOfTerrace_namesIt() throws IOException {
        Linkage linkage = new Linkage(instead("io/terrace/conf/TerraceSettings.class", null));
        assertThat(linkage.unresolved(ENTRIES)).containsExactly("io.terrace.conf.TerraceSettings");
    }

    @Test
    void isOwn_knowsAllOfTerracesClassesInHadoopsPackages() throws IOException {
        Path root = Path.of("..");
        for (String module : List.of("rdma-channel", "datanode-tiers", "placement-service")) {
            Path sources = root.resolve(module).resolve("src/main/java");
            try (Stream<Path> tree = Files.walk(sources.resolve("org/apache/hadoop"))) {
                List<String> names = tree.map(file -> sources.relativize(file).toString())
                        .filter(name -> name.endsWith(".java") && !name.endsWith("package-info.java"))
                        .map(name -> name.substring(0, name.length() - ".java".length()))
                        .toList();
                assertThat(names).isNotEmpty().allMatch(Linkage::isOwn);
            }
        }
    }

    @Test
    void isOwn_isFalseOfLibrariesThatAReleaseHasMoved() {
        assertThat(Linkage.isOwn("io/terrace/shaded/snakeyaml/Yaml")).isFalse();
    }

    @Test
    void isOwn_isFalseOfHadoopsOwn() {
        assertThat(Linkage.isOwn("org/apache/hadoop/hdfs/DFSClient")).isFalse();
    }

    /** Of what Hadoop's daemons load by name, and what that loads. A plain javac does not know the release of each. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io/terrace/compat/HadoopFit",
                "io/terrace/compat/Linkage",
                "io/terrace/compat/Release",
                "io/terrace/datanode/hdfs/TerraceDataNodePlugin",
                "io/terrace/placement/hdfs/TerraceNameNodePlugin",
                "org/apache/hadoop/hdfs/server/datanode/fsdataset/impl/TerraceDatasetFactory",
                "org/apache/hadoop/hdfs/server/datanode/fsdataset/impl/TerraceDatasetFactory$Terrace"
            })
    @EnabledIfSystemProperty(named = "basedir", matches = ".+", disabledReason = "not built by Maven")
    void classFiles_ofTheDaemonsEntries_areForJava8(String name) throws IOException {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            byte[] header = Objects.requireNonNull(in, name).readNBytes(8);
            assertThat(header[7]).isEqualTo((byte) 52);
        }
    }

    /** Finds another class file, or none, in the place of one. */
    private ClassLoader instead(String resource, @Nullable String other) {
        return new ClassLoader(loader) {
            @Override
            public @Nullable InputStream getResourceAsStream(String name) {
                if (!name.equals(resource)) {
                    return super.getResourceAsStream(name);
                }
                return other == null ? null : super.getResourceAsStream(other.replace('.', '/') + ".class");
            }
        };
    }
}
