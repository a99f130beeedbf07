package io.terrace.datanode.hdfs.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The steps of a move, over replicas and volumes that are names: a replica is {@code volume/number}. */
final class VolumeMoveTest {

    private static final BlockVersion BLOCK = new BlockVersion(new BlockKey("BP-1", 7, 1), 100);

    private final Storage storage = new Storage();

    private String move() throws IOException {
        VerifiedCopy copier = new VerifiedCopy(new TokenBucket(0, () -> 0, ns -> {}));
        try (MovesInProgress.Move move = new MovesInProgress().begin("BP-1", 7)) {
            assertThat(move).isNotNull();
            return new VolumeMove<>(storage, move, BLOCK, copier, () -> true).to("disk/1", "ssd", false);
        }
    }

    @Test
    void move_syncsAndPublishes_beforeTheOldFilesGo() throws IOException {
        assertThat(move()).isEqualTo("ssd/2");

        assertThat(storage.done)
                .containsExactly("copied ssd/2", "finalised ssd/2", "synced ssd", "published ssd/2", "removed disk/1");
    }

    @Test
    void deletedAndWrittenAgain_whileReadersOfTheOldFilesAreAwaited_keepsItsFiles() throws IOException {
        storage.at.put(MoveStep.PUBLISHED, () -> storage.current = "disk/3");

        move();

        assertThat(storage.done).contains("published ssd/2").doesNotContain("removed disk/1");
    }

    @Test
    void changed_beforeItIsPublished_removesTheNewFiles() {
        storage.at.put(MoveStep.RENAMED, () -> storage.current = "disk/3");

        assertThatThrownBy(this::move).isInstanceOf(MoveException.class);

        assertThat(storage.done).endsWith("removed ssd/2").doesNotContain("published ssd/2", "removed disk/1");
    }

    @Test
    void anotherReplicaOnTheTarget_beforeItIsPublished_keepsItsFiles() {
        storage.at.put(MoveStep.RENAMED, () -> storage.current = "ssd/3");

        assertThatThrownBy(this::move).isInstanceOf(MoveException.class);

        assertThat(storage.done).endsWith("synced ssd");
    }

    @Test
    void volumeOfTheReplica_thatIsBeingRemoved_isNamedInTheFailure() {
        storage.leaving = "disk";

        assertThatThrownBy(this::move).isInstanceOf(MoveException.class).hasMessage("disk is being removed");

        assertThat(storage.done).isEmpty();
    }

    @Test
    void target_thatIsRemovedAfterTheRename_isNotPublishedTo() {
        storage.at.put(MoveStep.RENAMED, () -> storage.leaving = "ssd");

        assertThatThrownBy(this::move).isInstanceOf(MoveException.class).hasMessage("ssd is being removed");

        assertThat(storage.done).endsWith("removed ssd/2").doesNotContain("published ssd/2", "removed disk/1");
    }

    @Test
    void target_thatIsRemovedAfterTheCopy_getsNoFinalFiles() {
        storage.at.put(MoveStep.COPIED, () -> storage.leaving = "ssd");

        assertThatThrownBy(this::move).isInstanceOf(MoveException.class).hasMessage("ssd is being removed");

        assertThat(storage.done).containsExactly("copied ssd/2", "released ssd", "discarded ssd/2");
    }

    @Test
    void target_thatIsRemovedOnceItIsPublishedTo_leavesTheOldFiles() throws IOException {
        storage.at.put(MoveStep.PUBLISHED, () -> storage.leaving = "ssd");

        move();

        assertThat(storage.done).endsWith("published ssd/2");
    }

    @Test
    void target_whoseDirectoryCannotBeLookedAt_keepsNeitherRoomNorFiles() {
        storage.directoryFault = new IOException("disk failed");

        assertThatThrownBy(this::move).hasMessage("disk failed");

        assertThat(storage.done).containsExactly("copied ssd/2", "released ssd", "discarded ssd/2");
    }

    private static final class Storage implements MoveStorage<String, String> {

        private final List<String> done = new ArrayList<>();
        private final Map<MoveStep, Runnable> at = new EnumMap<>(MoveStep.class);
        private @Nullable String current = "disk/1";
        private @Nullable String leaving;
        private @Nullable IOException directoryFault;

        @Override
        public boolean isCurrent(BlockVersion block, String replica) {
            return replica.equals(current);
        }

        @Override
        public boolean hasOn(BlockVersion block, String volume) {
            return current != null && volume(current).equals(volume);
        }

        @Override
        public String volume(String replica) {
            return replica.substring(0, replica.indexOf('/'));
        }

        @Override
        public String id(String volume) {
            return volume;
        }

        @Override
        public Closeable hold(String volume) throws ClosedChannelException {
            if (volume.equals(leaving)) {
                throw new ClosedChannelException();
            }
            return () -> {};
        }

        @Override
        public long metaBytes(String replica) {
            return 11;
        }

        @Override
        public boolean reserve(String volume, long bytes) {
            return true;
        }

        @Override
        public void release(String volume, long bytes) {
            done.add("released " + volume);
        }

        @Override
        public String copied(
                BlockVersion block,
                String replica,
                String target,
                VerifiedCopy copier,
                DurableCopy.Checkpoint checkpoint)
                throws IOException {
            checkpoint.check();
            done.add("copied " + target + "/2");
            step(MoveStep.COPIED);
            return target + "/2";
        }

        @Override
        public String linked(BlockVersion block, String replica, String target) {
            throw new UnsupportedOperationException("links");
        }

        @Override
        public Held lock(BlockVersion block, String volume) {
            return () -> {};
        }

        @Override
        public Held lockPool(BlockVersion block) {
            return () -> {};
        }

        @Override
        public boolean hasDirectory(BlockVersion block, String volume) throws IOException {
            if (directoryFault != null) {
                throw directoryFault;
            }
            return true;
        }

        @Override
        public String finalise(BlockVersion block, String old, String temporary, long reservedBytes) {
            done.add("finalised " + temporary);
            return temporary;
        }

        @Override
        public void syncDirectory(BlockVersion block, String volume, boolean parents) {
            done.add("synced " + volume);
        }

        @Override
        public void publish(BlockVersion block, String moved) {
            done.add("published " + moved);
            current = moved;
        }

        @Override
        public void moved(BlockVersion block) {
            // Nobody knows the files.
        }

        @Override
        public boolean awaitOpens(BlockVersion block, long timeoutMs) {
            return true;
        }

        @Override
        public void discard(String temporary) {
            done.add("discarded " + temporary);
        }

        @Override
        public void remove(BlockVersion block, String finalised) {
            done.add("removed " + finalised);
        }

        @Override
        public void step(MoveStep step) {
            at.getOrDefault(step, () -> {}).run();
        }
    }
}
