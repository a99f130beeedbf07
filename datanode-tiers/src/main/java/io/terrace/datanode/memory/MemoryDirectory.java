package io.terrace.datanode.memory;

import io.terrace.channel.shm.LinkDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.LogThrottle;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tmpfs directory of one DataNode and the files in it.
 *
 * <pre>
 *   in_use.lock        held by the process that uses the directory, 0600: a lock needs no more than reading
 *   extents/POOL/blk_ID_STAMP_NUMBER   one file for each copy, 0444 when whole, in a directory of 0700
 *   leftovers/         files of an earlier process, to be verified or deleted
 *   drafts/            copies whose blocks are being written, 0600
 *   checksums/         of copies whose descriptors were passed to stock readers, 0600
 * </pre>
 *
 * <p>Thread-safe. A directory that is missing, not the process's own ({@link OwnDirectory}), in use or not in memory is an
 * IOException that names the setting.
 */
public final class MemoryDirectory implements ExtentStore, LeftoverFiles, Closeable {

    /** A copy made by an earlier process. */
    public record Leftover(Path path, BlockVersion block) {

        /** Its block pool. */
        public String pool() {
            return block.key().pool();
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(MemoryDirectory.class);
    private static final Pattern EXTENT_NAME = Pattern.compile("blk_(-?\\d{1,19})_(\\d{1,19})_(\\d{1,19})");
    private static final Set<PosixFilePermission> COPYING = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> SEALED = PosixFilePermissions.fromString("r--r--r--");

    private static final long FAILURES_LOG_NS = TimeUnit.SECONDS.toNanos(10);

    private final LogThrottle failures = new LogThrottle(FAILURES_LOG_NS);
    private final OwnDirectory root;
    private final Path extents;
    private final Path leftovers;
    private final FileChannel lockFile;
    private final FileStore fileStore;

    private MemoryDirectory(OwnDirectory root, FileChannel lockFile, FileStore fileStore) throws IOException {
        this.root = root;
        this.extents = root.directory("extents");
        this.leftovers = root.directory("leftovers");
        this.lockFile = lockFile;
        this.fileStore = fileStore;
    }

    /**
     * Takes the directory into use and sets files of an earlier process aside.
     *
     * @param requireTmpfs refuse a directory that is not in memory, instead of only warning
     */
    public static MemoryDirectory open(Path root, boolean requireTmpfs) throws IOException {
        String key = TerraceSettings.DATANODE_MEMORY_DIR.key();
        if (!Files.isDirectory(root)) {
            throw new IOException(key + "=" + root + " is not a directory: make it on a tmpfs mount");
        }
        FileStore store = Files.getFileStore(root);
        if (!store.type().equals("tmpfs") && !store.type().equals("ramfs")) {
            String message = key + "=" + root + " is on " + store.type() + ", not on tmpfs";
            if (requireTmpfs) {
                throw new IOException(message + ": mount a tmpfs there, or set "
                        + TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.key() + "=false to go without");
            }
            LOG.warn("{}: copies there are no faster than the file system", message);
        }
        OwnDirectory own = OwnDirectory.check(root, "anybody could take, forge or delete what is there", key);
        FileChannel lockFile;
        try {
            lockFile = own.file("in_use.lock");
        } catch (FileSystemException e) {
            throw new IOException(key + "=" + root + " is not writable by this user", e);
        }
        try {
            lock(lockFile, key + "=" + root);
            MemoryDirectory directory = new MemoryDirectory(own, lockFile, store);
            directory.prepare();
            return directory;
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    private static void lock(FileChannel file, String what) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new IOException(what + " is used by another DataNode: give each DataNode a directory of its own");
        }
    }

    private void prepare() throws IOException {
        // Also where no block is written over the channel any more.
        CopyDrafts unused = drafts();
        pools(leftovers);
        for (Path pool : pools(extents)) {
            for (Path file : list(pool)) {
                Path aside = leftovers.resolve(pool.getFileName().toString());
                Files.createDirectories(aside);
                Files.move(file, aside.resolve(file.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.delete(pool);
        }
    }

    /** The directory itself, without symbolic links. */
    public Path root() {
        return root.path();
    }

    /** Where granted extents appear for a moment; what an earlier process left there is removed. */
    public LinkDirectory links() throws IOException {
        return LinkDirectory.create(root.directory("links"));
    }

    /** Copies whose blocks are being written; what an earlier process left there is removed. */
    public CopyDrafts drafts() throws IOException {
        return new CopyDrafts(root.directory("drafts"), this);
    }

    /** Checksums of copies whose descriptors are passed; what an earlier process left there is removed. */
    public PassedChecksums checksums() throws IOException {
        return new PassedChecksums(root.directory("checksums"));
    }

    /** Bytes of the file system, used or not. */
    public long fileSystemBytes() throws IOException {
        return fileStore.getTotalSpace();
    }

    /** Bytes of the file system that are used; -1 when the directory is not all of it, or that cannot be told. */
    public long usedBytes() {
        try {
            Path above = root.path().getParent();
            boolean alone = above != null
                    && !Files.getAttribute(root.path(), "unix:dev").equals(Files.getAttribute(above, "unix:dev"));
            long totalBytes = fileStore.getTotalSpace();
            return alone && totalBytes > 0 ? totalBytes - fileStore.getUnallocatedSpace() : -1;
        } catch (IOException e) {
            LOG.debug("Cannot tell what is used of {}", root.path(), e);
            return -1;
        }
    }

    /** Bytes that could still be written there. */
    public long usableBytes() throws IOException {
        return fileStore.getUsableSpace();
    }

    /** The kind of file system, as the system names it. */
    public String fileSystemType() {
        return fileStore.type();
    }

    /** Copies of an earlier process; files that are no whole copy are deleted. */
    @Override
    public List<Leftover> leftovers() throws IOException {
        List<Leftover> found = new ArrayList<>();
        for (Path pool : pools(leftovers)) {
            for (Path file : list(pool)) {
                Matcher name = EXTENT_NAME.matcher(file.getFileName().toString());
                boolean whole = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                        && OwnDirectory.owns(file)
                        && Files.getPosixFilePermissions(file).equals(SEALED);
                if (whole && name.matches()) {
                    BlockKey key = new BlockKey(
                            pool.getFileName().toString(),
                            Long.parseLong(name.group(1)),
                            Long.parseLong(name.group(2)));
                    found.add(new Leftover(file, new BlockVersion(key, Files.size(file))));
                } else {
                    Files.delete(file);
                }
            }
        }
        return found;
    }

    @Override
    public FileChannel open(Leftover leftover) throws IOException {
        return FileChannel.open(leftover.path(), StandardOpenOption.READ);
    }

    @Override
    public void adopt(Leftover leftover, Extent extent) throws IOException {
        poolDirectory(extent);
        Files.move(leftover.path(), file(extent));
    }

    /** A whole copy, which nobody writes any more, becomes the extent's file. */
    void adopt(Path whole, Extent extent) throws IOException {
        poolDirectory(extent);
        Files.setPosixFilePermissions(whole, SEALED);
        Files.move(whole, file(extent));
    }

    @Override
    public void discard(Leftover leftover) throws IOException {
        Files.deleteIfExists(leftover.path());
    }

    /** The file of an extent. */
    public Path file(Extent extent) {
        return extents.resolve(extent.key().pool())
                .resolve(
                        "blk_" + extent.key().blockId() + "_" + extent.key().generationStamp() + "_" + extent.number());
    }

    @Override
    public FileChannel create(Extent extent) throws IOException {
        poolDirectory(extent);
        return FileChannel.open(
                file(extent), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), forOwner());
    }

    private void poolDirectory(Extent extent) throws IOException {
        Path pool = extents.resolve(extent.key().pool());
        if (!extents.equals(pool.normalize().getParent())) {
            throw new IOException("block pool id " + extent.key().pool() + " is no file name");
        }
        Files.createDirectories(pool);
    }

    /** What a new file is made with while it is written. */
    static FileAttribute<Set<PosixFilePermission>> forOwner() {
        return PosixFilePermissions.asFileAttribute(COPYING);
    }

    @Override
    public void seal(Extent extent) throws IOException {
        Files.setPosixFilePermissions(file(extent), SEALED);
    }

    @Override
    public FileChannel open(Extent extent) throws IOException {
        return FileChannel.open(file(extent), StandardOpenOption.READ);
    }

    @Override
    public boolean remove(Extent extent, boolean truncate) {
        Path file = file(extent);
        try {
            if (truncate && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                // Truncate before unlinking: without its name the file could not be truncated again.
                Files.setPosixFilePermissions(file, COPYING);
                try (FileChannel bytes = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    bytes.truncate(0);
                }
            }
            Files.deleteIfExists(file);
            return true;
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone already", file);
            return true;
        } catch (IOException e) {
            Long others = failures.next(System.nanoTime());
            if (others != null) {
                LOG.warn(
                        "Cannot remove {} ({} earlier failures). Its memory stays in use; the removal is tried again",
                        file,
                        others,
                        e);
            }
            return false;
        }
    }

    /** Lets another process use the directory; its files stay. */
    @Override
    public void close() throws IOException {
        lockFile.close();
    }

    /** The directories of block pools. What is neither ours nor one was put there by somebody else. */
    private List<Path> pools(Path directory) throws IOException {
        List<Path> pools = list(directory);
        for (Path pool : pools) {
            root.requireOwnDirectory(pool);
        }
        return pools;
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
