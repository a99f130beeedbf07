package io.terrace.datanode.nvm;

import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.GuardedDirectory;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
 *   DIR/links/                  the same for clients of this host, see {@link LocalLinkDirectories}
 * </pre>
 *
 * <p>The link keeps the bytes when stock deletes or moves the replica, and makes stock copy them before it appends or
 * truncates. A link and its block file are one file: it is never cut, written or given other permissions here. Links that
 * an earlier process left are removed. Thread-safe.
 */
public final class NvmLinks implements ExtentFiles, Closeable {

    private record Volume(Path extents, LinkDirectory oneTime) {}

    private record Link(Path file, LinkDirectory oneTime, Path volume) {}

    private static final Logger LOG = LoggerFactory.getLogger(NvmLinks.class);
    private static final String OURS = "terrace";
    private static final String EXTENTS = "extents";
    private static final String ONE_TIME = "links";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private static final long FAILURES_LOG_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long UNSUITABLE_LOG_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int GROUP_OR_OTHERS_WRITE = 0022;
    private static final int OTHERS_READ = 0004;

    private final LogThrottle failures = new LogThrottle(FAILURES_LOG_NS);
    private final Map<Path, Volume> volumes = new ConcurrentHashMap<>();
    /** By identity. */
    private final Map<Extent, Link> links = new ConcurrentHashMap<>();

    private final LocalLinkDirectories forThisHost;
    private final LogThrottle unsuitable = new LogThrottle(UNSUITABLE_LOG_NS);
    /** By volume, where clients of this host open its files. */
    private final Map<Path, LinkDirectory> local = new ConcurrentHashMap<>();

    /** What is about to become an extent that clients of this host may open. */
    private volatile @Nullable BlockKey opensHere;

    /** For clients of other hosts only. */
    public NvmLinks() {
        this(new LocalLinkDirectories(List.of(), List::of));
    }

    /** @param forThisHost where clients of this host open files */
    public NvmLinks(LocalLinkDirectories forThisHost) {
        this.forThisHost = forThisHost;
    }

    /** Whether the operator wants clients of this host to be granted what is on NVM. */
    boolean servesThisHost() {
        return !forThisHost.isEmpty();
    }

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
        links.put(extent, new Link(file, volume.oneTime(), replica.volume()));
        Files.createLink(file, replica.file());
        return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * A replica is about to become an extent: looks whether clients of this host may open its file, which {@link #opensHere}
     * then says of the block. One thread.
     */
    void begin(NvmReplica replica) {
        opensHere = isForThisHost(replica) ? replica.key() : null;
    }

    /** Whether clients of this host may open the file of the block that is about to become an extent. */
    public boolean opensHere(BlockKey key) {
        return key.equals(opensHere);
    }

    private boolean isForThisHost(NvmReplica replica) {
        if (forThisHost.isEmpty()) {
            return false;
        }
        try {
            return isReadOnlyForOthers(replica.file()) && localDirectory(replica.volume(), replica.file()) != null;
        } catch (IOException e) {
            LOG.debug("{} is not granted to clients of this host", replica.key(), e);
            return false;
        }
    }

    /** A link is the block file. Its mode is not ours to change, and who opens the link must not be able to write it. */
    private boolean isReadOnlyForOthers(Path file) throws IOException {
        int mode = GuardedDirectory.mode(file);
        int owner = GuardedDirectory.uid(file);
        boolean owned = owner == GuardedDirectory.ROOT || owner == SocketDirectory.ownUid();
        if (owned && (mode & GROUP_OR_OTHERS_WRITE) == 0 && (mode & OTHERS_READ) != 0) {
            return true;
        }
        Long others = unsuitable.next(System.nanoTime());
        if (others != null) {
            LOG.warn(
                    "{} has mode {} and owner {}, so clients of this host are not granted it ({} earlier failures). Block files"
                            + " must be readable by all and writable by none but the DataNode; run it with umask 022. The"
                            + " volume keeps others out by its own mode",
                    file,
                    Integer.toOctalString(mode & 07777),
                    owner,
                    others);
        }
        return false;
    }

    private @Nullable LinkDirectory localDirectory(Path volume, Path probe) {
        LinkDirectory known = local.get(volume);
        if (known != null && Files.isDirectory(known.path(), LinkOption.NOFOLLOW_LINKS)) {
            return known;
        }
        LinkDirectory found = forThisHost.of(volume, probe);
        if (found == null) {
            local.remove(volume);
        } else {
            local.put(volume, found);
        }
        return found;
    }

    /** As {@link #oneTimeLink}, where clients of this host can open it. */
    public String localLink(Extent extent) throws IOException {
        Link link = links.get(extent);
        if (link == null) {
            throw new NoSuchFileException("no link of " + extent);
        }
        LinkDirectory directory = localDirectory(link.volume(), link.file());
        if (directory == null) {
            throw new NoSuchFileException(forThisHost.problem());
        }
        return directory
                .path()
                .resolve(forThisHost.link(directory, link.file()))
                .toString();
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
                            "Cannot remove link {} ({} earlier failures). A deleted block uses disk space until the link is"
                                    + " removed.",
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
