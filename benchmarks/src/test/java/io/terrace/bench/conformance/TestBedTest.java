package io.terrace.bench.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.conformance.datanode.ConformanceTier;
import io.terrace.conf.UnknownSettings;
import io.terrace.datanode.hdfs.dataset.TierExtension;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestBedTest {
    @TempDir
    Path directory;

    @Test
    void tierExtension_isThereWithItsServiceFile() throws Exception {
        TestBed.tierExtension(directory);
        assertThat(directory.resolve("META-INF/services/" + TierExtension.class.getName()))
                .hasContent(ConformanceTier.class.getName());
        assertThat(directory.resolve(ConformanceTier.class.getName().replace('.', '/') + ".class"))
                .exists();
    }

    @Test
    void terraceSite_hasNoUnknownSetting() {
        Configuration conf = new Configuration(false);
        conf.addResource("conformance/terrace-site.xml");
        assertThat(conf.get(ConformanceTier.PROMOTE_AT_ONCE)).isNotNull();
        assertThat(UnknownSettings.errors(conf)).isEmpty();
    }
}
