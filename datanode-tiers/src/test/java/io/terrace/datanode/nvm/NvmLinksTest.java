package io.terrace.datanode.nvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link is the replica itself: it is made, opened and removed, and the replica stays what it is. */
class NvmLinksTest {

    private static final byte[] BYTES = {1, 2, 3, 4, 5};
    private static final BlockKey KEY = new BlockKey("pool", 7, 1001);

    @TempDir
    Path volume;

    private final NvmLinks links = new NvmLinks();
    private final Extent extent = new Extent(KEY, BYTES.length, 4096, 1, 0);
    private NvmReplica replica;

    @BeforeEach
    void makeReplica() throws IOException {
        Path file = Files.write(Files.createDirectory(volume.resolve("current")).resolve("blk_7"), BYTES);
        replica = new NvmReplica(new BlockVersion(KEY, BYTES.length), volume, file);
    }

    private List<Path> made() throws IOException {
        try (Stream<Path> files = Files.list(volume.resolve("terrace/extents"))) {
            return files.toList();
        }
    }

    @Test
    void link_isTheReplicaItself_inADirectoryOfItsOwnersAlone() throws IOException {
        try (FileChannel opened = links.link(extent, replica)) {
            assertThat(opened.size()).isEqualTo(BYTES.length);
        }
        assertThat(made()).singleElement().satisfies(link -> assertThat(Files.isSameFile(link, replica.file()))
                .isTrue());
        for (String ours : List.of("terrace", "terrace/extents")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(volume.resolve(ours))))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void remove_thatFails_isTriedAgain() throws IOException {
        links.link(extent, replica).close();
        Path link = made().get(0);
        Files.delete(link);
        Files.createDirectories(link.resolve("in-the-way"));
        assertThat(links.remove(extent, true)).isFalse();
        Files.delete(link.resolve("in-the-way"));
        assertThat(links.remove(extent, true)).isTrue();
        assertThat(made()).isEmpty();
    }

    @Test
    void remove_neverTruncates_evenWhenAsked() throws IOException {
        links.link(extent, replica).close();
        String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(replica.file()));
        links.remove(extent, true);
        assertThat(made()).isEmpty();
        assertThat(Files.readAllBytes(replica.file())).isEqualTo(BYTES);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(replica.file())))
                .isEqualTo(permissions);
    }

    @Test
    void oneTimeLink_opensTheExtent_alsoWhenTheReplicaIsDeleted() throws IOException {
        links.link(extent, replica).close();
        Files.delete(replica.file());
        Path once = Path.of(links.oneTimeLink(extent));
        assertThat(once).isAbsolute();
        assertThat(Files.readAllBytes(once)).isEqualTo(BYTES);
    }

    @Test
    void oneTimeLink_ofARemovedExtent_isRefused() throws IOException {
        links.link(extent, replica).close();
        links.remove(extent, true);
        assertThatThrownBy(() -> links.oneTimeLink(extent)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void sweep_removesOurLinks_andNothingElse() throws IOException {
        links.link(extent, replica).close();
        Path once = Path.of(links.oneTimeLink(extent));
        new NvmLinks().sweep(volume);
        assertThat(made()).isEmpty();
        assertThat(once).doesNotExist();
        assertThat(Files.readAllBytes(replica.file())).isEqualTo(BYTES);
    }

    @Test
    void sweep_ofAVolumeWithoutLinks_makesNothing() throws IOException {
        new NvmLinks().sweep(volume);
        assertThat(volume.resolve("terrace")).doesNotExist();
    }

    @Test
    void link_onAVolumeThatCameBackEmpty_isMadeAgain() throws IOException {
        links.link(extent, replica).close();
        links.remove(extent, false);
        Files.delete(volume.resolve("terrace/extents"));
        links.link(new Extent(KEY, BYTES.length, 8192, 2, 0), replica).close();
        assertThat(made()).hasSize(1);
    }

    @Test
    void firstLink_onAVolume_removesWhatAnotherProcessLeft() throws IOException {
        Path left = volume.resolve("terrace/extents/blk_9_1_1");
        Files.createDirectories(left.getParent());
        Files.createLink(left, replica.file());
        links.link(extent, replica).close();
        links.link(new Extent(KEY, BYTES.length, 8192, 2, 0), replica).close();
        assertThat(left).doesNotExist();
        assertThat(made()).hasSize(2);
    }

    @Test
    void close_removesAllLinks() throws IOException {
        links.link(extent, replica).close();
        links.close();
        assertThat(made()).isEmpty();
        assertThat(Files.readAllBytes(replica.file())).isEqualTo(BYTES);
    }
}
