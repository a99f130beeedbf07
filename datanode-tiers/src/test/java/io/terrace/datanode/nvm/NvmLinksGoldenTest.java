package io.terrace.datanode.nvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of the links on a volume, which the next process, perhaps of another version, removes. */
final class NvmLinksGoldenTest {

    @TempDir
    private Path volume;

    @Test
    void names() throws Exception {
        BlockKey key = new BlockKey("BP-1", 1073741825, 1001);
        Extent extent = new Extent(key, 5, 4096, 3, 0);
        Path file = Files.writeString(volume.resolve("blk_1073741825"), "01234");
        try (NvmLinks links = new NvmLinks()) {
            links.link(extent, new NvmReplica(new BlockVersion(key, 5), volume, file))
                    .close();
            assertThat(volume.resolve("terrace/extents/blk_1073741825_1001_3")).exists();
            assertThat(volume.relativize(Path.of(links.oneTimeLink(extent))).toString())
                    .matches("terrace/links/[0-9a-f]{32}");
        }
    }
}
