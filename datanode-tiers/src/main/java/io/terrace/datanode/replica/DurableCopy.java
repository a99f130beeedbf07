package io.terrace.datanode.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Copies a replica's block file and meta file to another directory. Every chunk is verified before it is written, and both
 * files are on the medium when the copy is done; their directory is not synced.
 *
 * <p>The meta file is written as it is read for the verification, so that its checksums are those that were checked. What
 * follows them in the source is left out.
 */
public final class DurableCopy {

    /** Asked before each piece is written. */
    @FunctionalInterface
    public interface Checkpoint {
        /** @throws IOException to end the copy here */
        void check() throws IOException;
    }

    /** The target could not be written: the source is not to blame. */
    public static final class TargetException extends IOException {

        private static final long serialVersionUID = 1;

        TargetException(Path file, IOException cause) {
            super("cannot write " + file + ": " + cause.getMessage(), cause);
        }
    }

    /** Makes the files: on a disk, or in a simulation. */
    @FunctionalInterface
    public interface Opener {
        /** Opens an empty file to write and read. */
        FileChannel create(Path file) throws IOException;
    }

    private DurableCopy() {}

    /**
     * Makes both files; whoever calls removes them if this fails.
     *
     * @param copier checks, and keeps to its rate
     * @param data the block's bytes, from the start
     * @param meta the meta file, from the start
     * @throws CorruptReplicaException if the bytes do not match their checksums, or end too early
     * @throws TargetException if the target cannot be written
     * @throws IOException if the source cannot be read, or the checkpoint ends the copy
     */
    public static void run(
            VerifiedCopy copier,
            ReadableByteChannel data,
            ReadableByteChannel meta,
            long lengthBytes,
            Path dataTo,
            Path metaTo,
            Checkpoint checkpoint)
            throws IOException {
        run(copier, data, meta, lengthBytes, dataTo, metaTo, checkpoint, DurableCopy::create);
    }

    /** The same, where something else than the default file system makes the files. */
    public static void run(
            VerifiedCopy copier,
            ReadableByteChannel data,
            ReadableByteChannel meta,
            long lengthBytes,
            Path dataTo,
            Path metaTo,
            Checkpoint checkpoint,
            Opener opener)
            throws IOException {
        try (Target dataFile = new Target(dataTo, checkpoint, opener);
                Target metaFile = new Target(metaTo, () -> {}, opener)) {
            copier.run(data, new Tee(meta, metaFile), lengthBytes, dataFile);
            checkpoint.check();
            metaFile.end(lengthBytes);
            dataFile.sync();
        }
    }

    /** Writes the file of a replica that was linked, not copied, to the medium. */
    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (IOException e) {
            throw new TargetException(file, e);
        }
    }

    private static FileChannel create(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        // What an earlier move of this process could not remove.
        Files.deleteIfExists(file);
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static final class Target implements WritableByteChannel {

        private final Path path;
        private final FileChannel file;
        private final Checkpoint checkpoint;

        Target(Path path, Checkpoint checkpoint, Opener opener) throws IOException {
            this.path = path;
            this.checkpoint = checkpoint;
            try {
                file = opener.create(path);
            } catch (IOException e) {
                throw new TargetException(path, e);
            }
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            checkpoint.check();
            try {
                return file.write(bytes);
            } catch (IOException e) {
                throw new TargetException(path, e);
            }
        }

        /** Ends the meta file after the checksums of so many bytes. */
        void end(long lengthBytes) throws IOException {
            long bytes = MetaHeader.BYTES + MetaHeader.read(file.position(0)).sumBytes(lengthBytes);
            try {
                file.truncate(bytes);
            } catch (IOException e) {
                throw new TargetException(path, e);
            }
            sync();
        }

        void sync() throws IOException {
            try {
                file.force(true);
            } catch (IOException e) {
                throw new TargetException(path, e);
            }
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Writes what is read. */
    private record Tee(ReadableByteChannel from, WritableByteChannel to) implements ReadableByteChannel {

        @Override
        public int read(ByteBuffer bytes) throws IOException {
            int start = bytes.position();
            int read = from.read(bytes);
            ByteBuffer copy = bytes.duplicate().flip().position(start);
            while (copy.hasRemaining()) {
                to.write(copy);
            }
            return read;
        }

        @Override
        public boolean isOpen() {
            return from.isOpen();
        }

        @Override
        public void close() throws IOException {
            from.close();
        }
    }
}
