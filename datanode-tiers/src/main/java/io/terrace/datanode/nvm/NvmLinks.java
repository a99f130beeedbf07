package io.terrace.datanode.nvm;

import io.terrace.channel.shm.LinkDirectory;
import io.terrace.common.LogThrottle;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files behind extents on NVM: hard links of the block files, in a directory of each volume that stock does not look
 * into.
 *
 * <pre>
 *   VOLUME/current/             stock's
 *   VOLUME/terrace/extents/     blk_ID_STAMP_NUMBER, one link for each extent, in a directory of 0700
 *   VOLUME/terrace/links/       another link of it for the moment in which a granted extent is opened
 * </pre>
 *
 * <p>The link keeps the bytes when stock deletes or moves the replica, and makes stock copy them before it appends or
 * truncates. A link and its block file are one file: it is never cut, written or given other permissions here. Links that
 * an earlier process left are removed. Thread-safe.
 */
public final class NvmLinks implements ExtentFiles, Closeable {

    private record Volume(Path extents, LinkDirectory oneTime) {}

    private record Link(Path file, LinkDirectory oneTime) {}

    private static final Logger LOG = LoggerFactory.getLogger(NvmLinks.class);
    private static final String OURS = "terrace";
    private static final String EXTENTS = "extents";
    private static final String ONE_TIME = "links";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private static final long FAILURES_LOG_NS = TimeUnit.SECONDS.toNanos(10);

    private final LogThrottle failures = new LogThrottle(FAILURES_LOG_NS);
    private final Map<Path, Volume> volumes = new ConcurrentHashMap<>();
    /** By identity. */
    private final Map<Extent, Link> links = new ConcurrentHashMap<>();

    /** Removes what an earlier process left on a volume. */
    public void sweep(Path volume) throws IOException {
        for (String directory : new String[] {EXTENTS, ONE_TIME}) {
            empty(volume.resolve(OURS).resolve(directory));
        }
    }

    /** Makes the link of an extent and opens it: what is read from here on is what its readers will read. */
    public FileChannel link(Extent extent, NvmReplica replica) throws IOException {
        Volume volume = volume(replica.volume());
        Path file = volume.extents()
                .resolve(
                        "blk_" + extent.key().blockId() + "_" + extent.key().generationStamp() + "_" + extent.number());
        links.put(extent, new Link(file, volume.oneTime()));
        Files.createLink(file, replica.file());
        return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** The absolute path of one more link of an extent, for whoever opens it once and removes it. */
    public String oneTimeLink(Extent extent) throws IOException {
        Link link = links.get(extent);
        if (link == null) {
            throw new NoSuchFileException("no link of " + extent);
        }
        return link.oneTime().path().resolve(link.oneTime().link(link.file())).toString();
    }

    /** Removes the link. Never truncates, whatever is asked: the bytes may be those of a replica. */
    @Override
    public boolean remove(Extent extent, boolean truncate) {
        Link link = links.get(extent);
        if (link != null) {
            try {
                Files.deleteIfExists(link.file());
            } catch (IOException e) {
                if (!Files.exists(link.file(), LinkOption.NOFOLLOW_LINKS)) {
                    // The volume failed, and its links are gone with it.
                    links.remove(extent);
                    return true;
                }
                Long others = failures.next(System.nanoTime());
                if (others != null) {
                    LOG.warn(
                            "Cannot remove {} (nor {} before it): a deleted block keeps its room until it is",
                            link.file(),
                            others,
                            e);
                }
                return false;
            }
            links.remove(extent);
        }
        return true;
    }

    /** Removes all links of all volumes: nobody serves from them any more. */
    @Override
    public void close() {
        for (Path volume : volumes.keySet()) {
            try {
                sweep(volume);
            } catch (IOException e) {
                LOG.warn("Cannot remove the links in {}; the next process will", volume, e);
            }
        }
        links.clear();
    }

    private Volume volume(Path root) throws IOException {
        Volume known = volumes.get(root);
        // A volume that was taken away and came back has to be set up again.
        if (known != null && Files.isDirectory(known.extents(), LinkOption.NOFOLLOW_LINKS)) {
            return known;
        }
        synchronized (volumes) {
            if (known == null) {
                // The volume was added while this process runs, and may have links of an earlier process.
                sweep(root);
            }
            Path ours = ownerOnly(root.resolve(OURS));
            Path extents = ownerOnly(ours.resolve(EXTENTS));
            Volume volume = new Volume(extents, LinkDirectory.create(ours.resolve(ONE_TIME)));
            volumes.put(root, volume);
            return volume;
        }
    }

    private static Path ownerOnly(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        Files.setPosixFilePermissions(directory, OWNER_ONLY);
        return directory;
    }

    private static void empty(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
            for (Path link : left) {
                Files.deleteIfExists(link);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }
}
