package io.terrace.datanode.nvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A link is the replica itself: it is made, opened and removed, and the replica stays what it is. */
class NvmLinksTest {

    private static final byte[] BYTES = {1, 2, 3, 4, 5};
    private static final BlockKey KEY = new BlockKey("pool", 7, 1001);

    private static final String SETPRIV = "/usr/bin/setpriv";

    @TempDir
    Path scratch;

    private Path volume;
    private final NvmLinks links = new NvmLinks();
    private final Extent extent = new Extent(KEY, BYTES.length, 4096, 1, 0);
    private NvmReplica replica;

    @BeforeEach
    void makeReplica() throws IOException {
        volume = Files.createDirectory(scratch.resolve("volume"));
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

    private NvmLinks forThisHost(LocalLinkDirectories.Linker linker) throws IOException {
        Files.createDirectories(local());
        Files.setPosixFilePermissions(local(), PosixFilePermissions.fromString("rwx------"));
        return new NvmLinks(new LocalLinkDirectories(List.of(local()), () -> List.of(volume), linker));
    }

    private Path local() {
        return volume.resolveSibling(volume.getFileName() + "-local");
    }

    @Test
    void localLink_isTheReplica_outsideOfTheVolume_inADirectoryThatCannotBeListed() throws IOException {
        NvmLinks here = forThisHost(Files::createLink);
        here.begin(replica);
        assertThat(here.opensHere(KEY)).isTrue();
        here.link(extent, replica).close();
        Path link = Path.of(here.localLink(extent));
        assertThat(link).hasParent(local().toRealPath().resolve("links"));
        assertThat(Files.isSameFile(link, replica.file())).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(local().resolve("links"))))
                .isEqualTo("rwx--x--x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(local())))
                .isEqualTo("rwx--x--x");
        // What was tried out is gone.
        Files.delete(link);
        assertThat(local().resolve("links")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-", "rw-r-----", "rw-------"})
    void replica_thatOthersCouldWriteOrCannotRead_isNotForThisHost(String mode) throws IOException {
        NvmLinks here = forThisHost(Files::createLink);
        Files.setPosixFilePermissions(replica.file(), PosixFilePermissions.fromString(mode));
        here.begin(replica);
        assertThat(here.opensHere(KEY)).isFalse();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(replica.file())))
                .isEqualTo(mode);
    }

    @Test
    void localLink_thatTheFileSystemRefuses_namesTheSetting_andWorksWhenItIsRepaired() throws IOException {
        boolean[] full = {false};
        NvmLinks here = forThisHost((link, existing) -> {
            if (full[0]) {
                throw new FileSystemException(link.toString(), existing.toString(), "No space left on device");
            }
            Files.createLink(link, existing);
        });
        here.begin(replica);
        here.link(extent, replica).close();
        full[0] = true;
        assertThatThrownBy(() -> here.localLink(extent))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("terrace.datanode.nvm.local.dir")
                .hasMessageContaining("No space left on device");
        full[0] = false;
        assertThat(Path.of(here.localLink(extent))).exists();
    }

    /** As link(2) does between two mounts of one file system. */
    @Test
    void directoryBelowAnotherMount_isNotUsed() throws IOException {
        LocalLinkDirectories.Linker otherMount = (link, existing) -> {
            throw new FileSystemException(link.toString(), existing.toString(), "Invalid cross-device link");
        };
        Files.createDirectories(local());
        LocalLinkDirectories directories =
                new LocalLinkDirectories(List.of(local()), () -> List.of(volume), otherMount);
        NvmLinks here = new NvmLinks(directories);
        here.begin(replica);
        assertThat(here.opensHere(KEY)).isFalse();
        assertThat(directories.problem()).contains("below the same mount", "Invalid cross-device link");
        // Other hosts are granted it all the same.
        here.link(extent, replica).close();
        assertThat(Path.of(here.oneTimeLink(extent))).exists();
    }

    /** As root, who may be another user: what a client can do with what it is granted. */
    @Test
    void anotherUser_opensTheGrantedNameAlone_andCannotWriteTheReplica() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may be another user");
        assumeTrue(Files.isExecutable(Path.of(SETPRIV)), "setpriv is missing");
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
        for (Path above = scratch.getParent(); above != null; above = above.getParent()) {
            assumeTrue(
                    Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE),
                    "the temporary directory is closed to others");
        }
        // As stock keeps it.
        Files.setPosixFilePermissions(volume, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(replica.file(), PosixFilePermissions.fromString("rw-r--r--"));
        NvmLinks here = forThisHost(Files::createLink);
        here.begin(replica);
        here.link(extent, replica).close();
        Path granted = Path.of(here.localLink(extent));
        assertThat(asNobody("cat", replica.file().toString())).isNotZero();
        assertThat(asNobody("ls", local().resolve("links").toString())).isNotZero();
        assertThat(asNobody("cat", granted.toString())).isZero();
        assertThat(asNobody("sh", "-c", "echo x >> " + granted)).isNotZero();
        assertThat(asNobody("sh", "-c", "exec 3<" + granted + " && echo x > /proc/self/fd/3"))
                .as("the descriptor opened again for writing")
                .isNotZero();
        assertThat(asNobody("chmod", "666", granted.toString())).isNotZero();
        assertThat(Files.readAllBytes(replica.file())).isEqualTo(BYTES);
        Files.delete(granted);
        assertThat(asNobody("cat", granted.toString())).isNotZero();
    }

    private static int asNobody(String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(SETPRIV, "--reuid=65534", "--regid=65534", "--clear-groups"));
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void replica_ofAnotherUser_isNotForThisHost() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may give files to another user");
        NvmLinks here = forThisHost(Files::createLink);
        Files.setAttribute(replica.file(), "unix:uid", 65534);
        here.begin(replica);
        assertThat(here.opensHere(KEY)).isFalse();
    }
}
