package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DaemonCommandTest {
    private static final ClusterSpec SPEC = ClusterSpec.of(1, 1 << 20).withNativeDir("/srv/native");
    private static final Path CONF = Path.of("/srv/conf");

    @Test
    void jvm_ofDataNode_findsLibhadoop_andTakesItsClassesBeforeHadoops() {
        List<String> words = DaemonCommand.jvm(SPEC, 1, CONF, ClassPath.ofThisProcess(), LocalCluster.DATANODE);

        assertThat(words).contains("-Djava.library.path=/srv/native");
        assertThat(words.get(words.indexOf("-cp") + 1)).startsWith("/srv/conf:/srv/native:");
    }

    @Test
    void jvm_ofNameNode_hasNoLibhadoop() {
        assertThat(DaemonCommand.jvm(SPEC, 0, CONF, ClassPath.ofThisProcess(), LocalCluster.NAMENODE)
                        .toString())
                .doesNotContain("/srv/native");
    }

    @Test
    void jvm_whereThisProcessNamesAnOption_hasIt() {
        String option = "-XX:TieredStopAtLevel=1";
        String before = System.getProperty(DaemonCommand.OPTION_PROPERTY, option);
        System.setProperty(DaemonCommand.OPTION_PROPERTY, option);
        try {
            assertThat(DaemonCommand.jvm(SPEC, 0, CONF, ClassPath.ofThisProcess(), LocalCluster.NAMENODE))
                    .contains(option);
        } finally {
            System.setProperty(DaemonCommand.OPTION_PROPERTY, before);
        }
    }
}
