package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBuilder;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaInputStreams;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the files of a move on its target, in the directory for temporary files: copied and verified, or linked where both
 * volumes are on one mount. Both files are on the medium when they are returned; none is left when making them failed.
 */
final class TargetFiles {

    private static final String MODE = "unix:mode";
    private static final int STICKY = 01000;
    private static final Logger LOG = LoggerFactory.getLogger(TargetFiles.class);

    private final DataNode datanode;
    private final MovableDataset dataset;
    private final ExtendedBlock block;
    private final BlockVersion version;
    private final Consumer<MoveStep> onStep;

    TargetFiles(
            DataNode datanode,
            MovableDataset dataset,
            ExtendedBlock block,
            BlockVersion version,
            Consumer<MoveStep> onStep) {
        this.datanode = datanode;
        this.dataset = dataset;
        this.block = block;
        this.version = version;
        this.onStep = onStep;
    }

    /** @param checkpoint asked before each piece is written */
    ReplicaInfo copied(ReplicaInfo replica, FsVolumeImpl volume, VerifiedCopy copier, DurableCopy.Checkpoint checkpoint)
            throws IOException {
        ReplicaInfo temporary = temporary(volume);
        boolean done = false;
        try (ReplicaInputStreams streams = dataset.dataset().getTmpInputStreams(block, 0, 0)) {
            if (!(streams.getDataIn() instanceof FileInputStream data)) {
                throw new MoveException(MoveOutcome.REFUSED, "the replica is not a local file");
            }
            DurableCopy.run(
                    copier,
                    data.getChannel(),
                    Channels.newChannel(streams.getChecksumIn()),
                    version.lengthBytes(),
                    path(temporary.getBlockURI()),
                    path(temporary.getMetadataURI()),
                    checkpoint);
            likeOld(path(replica.getBlockURI()), path(temporary.getBlockURI()));
            onStep.accept(MoveStep.COPIED);
            done = true;
            return temporary;
        } catch (DurableCopy.TargetException e) {
            throw failed(volume, e);
        } catch (MoveException | CorruptReplicaException | ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            datanode.checkDiskErrorAsync(replica.getVolume());
            throw e;
        } finally {
            if (!done) {
                remove(temporary);
            }
        }
    }

    private ReplicaInfo temporary(FsVolumeImpl volume) throws IOException {
        BlockKey key = version.key();
        File directory = DatanodeUtil.idToBlockDir(dataset.temporaryFiles(volume, key.pool()), key.blockId());
        ReplicaInfo temporary = new ReplicaBuilder(ReplicaState.TEMPORARY)
                .setBlockId(key.blockId())
                .setGenerationStamp(key.generationStamp())
                .setFsVolume(volume)
                .setDirectoryToUse(directory)
                .setBytesToReserve(0)
                .build();
        temporary.setNumBytes(version.lengthBytes());
        return temporary;
    }

    /** Keeps the sticky bit, by which HDFS pins a replica to its DataNode, and the time of the last change. */
    private static void likeOld(Path old, Path copy) throws IOException {
        int pinned = (int) Files.getAttribute(old, MODE) & STICKY;
        if (pinned != 0) {
            Files.setAttribute(copy, MODE, (int) Files.getAttribute(copy, MODE) | pinned);
        }
        Files.setLastModifiedTime(copy, Files.getLastModifiedTime(old));
    }

    ReplicaInfo linked(ReplicaInfo replica, FsVolumeReference target) throws IOException {
        // Where both links are, also if the second cannot be made.
        ReplicaInfo temporary = temporary((FsVolumeImpl) target.getVolume());
        boolean done = false;
        try {
            temporary = dataset.link(block, replica, target);
            // The file length, not the meta file's, which stock takes here.
            temporary.setNumBytes(version.lengthBytes());
            DurableCopy.sync(path(temporary.getBlockURI()));
            DurableCopy.sync(path(temporary.getMetadataURI()));
            onStep.accept(MoveStep.COPIED);
            done = true;
            return temporary;
        } catch (DurableCopy.TargetException e) {
            throw failed(target.getVolume(), e);
        } finally {
            if (!done) {
                remove(temporary);
            }
        }
    }

    /** Removes the files that were made. */
    static void remove(ReplicaInfo temporary) {
        remove(path(temporary.getBlockURI()));
        remove(path(temporary.getMetadataURI()));
    }

    static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("Cannot remove {}, which an unfinished move left; the next start of the DataNode does", file, e);
        }
    }

    /** What to throw when the target could not be written: the source is not to blame. */
    IOException failed(FsVolumeSpi volume, IOException cause) {
        Throwable root = cause.getCause() == null ? cause : cause.getCause();
        if (root instanceof ClosedByInterruptException) {
            return new MoveException(MoveOutcome.REFUSED, "shutting down");
        }
        String message = String.valueOf(root.getMessage());
        if (message.contains("No space left") || message.contains("quota exceeded")) {
            return new MoveException(MoveOutcome.NO_ROOM, volume + " is full: " + message);
        }
        datanode.checkDiskErrorAsync(volume);
        return cause;
    }

    static Path path(URI uri) {
        return Path.of(uri);
    }
}
