package io.terrace.datanode.nvm;

import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.GuardedDirectory;
import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories in which clients of this host open replicas on NVM. They are not in the volumes, which stock keeps at 0700,
 * but on the same file systems, so that a hard link can be made.
 *
 * <pre>
 *   DIR/         the DataNode's own; others pass through it
 *   DIR/links/   a {@link LinkDirectory}: a replica under a random name until its client has opened it
 * </pre>
 *
 * <p>A directory that cannot be used is logged as an error that names the setting and the remedy, and looked at again the next
 * time that it is needed. Thread-safe.
 */
public final class LocalLinkDirectories {

    /** Makes a hard link; a test lets it fail. */
    interface Linker {
        void link(Path link, Path existing) throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(LocalLinkDirectories.class);
    private static final String KEY = TerraceSettings.DATANODE_NVM_LOCAL_DIR.key();
    private static final String LINKS = "links";
    private static final int GROUP_OR_OTHERS_PASS = 0011;

    private final List<Path> configured;
    private final Supplier<? extends Collection<Path>> volumes;
    private final Linker linker;
    private final Map<Path, LinkDirectory> opened = new ConcurrentHashMap<>();
    /** By directory or volume, until it is repaired. */
    private final Map<Path, String> problems = new ConcurrentHashMap<>();

    /**
     * Looks at nothing yet.
     *
     * @param configured absolute paths; none where clients of this host are not granted NVM
     * @param volumes all data directories of the DataNode now, whatever their type
     */
    public LocalLinkDirectories(List<Path> configured, Supplier<? extends Collection<Path>> volumes) {
        this(configured, volumes, Files::createLink);
    }

    LocalLinkDirectories(List<Path> configured, Supplier<? extends Collection<Path>> volumes, Linker linker) {
        this.configured = List.copyOf(configured);
        this.volumes = volumes;
        this.linker = linker;
    }

    /** Whether the operator named none. */
    boolean isEmpty() {
        return configured.isEmpty();
    }

    /** What the operator should repair; empty when nothing is known to be wrong. */
    public String problem() {
        Collection<Path> present = volumes.get();
        return problems.entrySet().stream()
                .filter(each -> configured.contains(each.getKey()) || present.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .sorted()
                .distinct()
                .collect(Collectors.joining("; "));
    }

    /** Checks all of them, and removes the links that an earlier process left there. */
    public void open() {
        for (Path directory : configured) {
            try {
                LinkDirectory unused = check(directory);
            } catch (IOException e) {
                failed(directory, String.valueOf(e.getMessage()), e);
            }
        }
    }

    /**
     * The directory in which files of a volume can be linked; null, with an error in the log, where there is none.
     *
     * @param probe any file of the volume
     */
    @Nullable
    LinkDirectory of(Path volume, Path probe) {
        String why = "no directory of " + KEY + " is on the file system of " + volume
                + ": add one there, outside of the data directories";
        IOException cause = null;
        for (Path directory : configured) {
            try {
                if (!Files.isDirectory(directory) || isOnAnother(directory, volume)) {
                    continue;
                }
                LinkDirectory links = check(directory);
                links.unlink(link(links, probe));
                problems.remove(directory);
                problems.remove(volume);
                return links;
            } catch (IOException e) {
                cause = e;
                why = String.valueOf(e.getMessage());
            }
        }
        failed(volume, why, cause);
        return null;
    }

    /** Links a file in one of the directories; answers the link's name. */
    String link(LinkDirectory links, Path file) throws IOException {
        String name = links.newName();
        try {
            linker.link(links.path().resolve(name), file);
        } catch (IOException e) {
            throw new IOException(
                    KEY + ": cannot link " + file + " into " + links.path()
                            + "; a directory below the same mount, with room for a name, is needed (" + e + ")",
                    e);
        }
        return name;
    }

    private static boolean isOnAnother(Path directory, Path volume) throws IOException {
        return !Files.getAttribute(directory, "unix:dev").equals(Files.getAttribute(volume, "unix:dev"));
    }

    private synchronized LinkDirectory check(Path directory) throws IOException {
        LinkDirectory known = opened.get(directory);
        if (known != null && Files.isDirectory(known.path(), LinkOption.NOFOLLOW_LINKS)) {
            return known;
        }
        String setting = KEY + "=" + directory;
        if (!Files.isDirectory(directory)) {
            throw new IOException(setting + " is not a directory: make it on the file system of the volume, for the"
                    + " DataNode's user");
        }
        Path real = directory.toRealPath();
        for (Path volume : volumes.get()) {
            if (Files.isDirectory(volume) && real.startsWith(volume.toRealPath())) {
                throw new IOException(setting + " is inside the data directory " + volume
                        + ", which clients cannot pass through: name a directory beside it");
            }
        }
        int owner = GuardedDirectory.check(real, "anybody could take or forge what is there", KEY);
        int user = SocketDirectory.ownUid();
        if (owner != user) {
            throw new IOException(setting + " belongs to user id " + owner + ", not to the DataNode's, which is " + user
                    + ": chown it, or name another directory");
        }
        for (Path above = real.getParent(); above != null; above = above.getParent()) {
            if ((GuardedDirectory.mode(above) & GROUP_OR_OTHERS_PASS) == 0) {
                LOG.warn(
                        "{}: only its owner passes through {}, so clients of other users read through stock HDFS; chmod o+x"
                                + " it, or name another directory",
                        setting,
                        above);
            }
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(real);
        if (mode.add(PosixFilePermission.OTHERS_EXECUTE) | mode.add(PosixFilePermission.GROUP_EXECUTE)) {
            Files.setPosixFilePermissions(real, mode);
        }
        LinkDirectory links = LinkDirectory.create(real.resolve(LINKS));
        opened.put(directory, links);
        return links;
    }

    private void failed(Path where, String why, @Nullable IOException cause) {
        if (!why.equals(problems.put(where, why))) {
            LOG.error("Clients of this host read NVM through stock HDFS: {}", why, cause);
        }
    }
}
