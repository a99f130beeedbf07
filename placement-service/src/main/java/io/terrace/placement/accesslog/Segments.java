package io.terrace.placement.accesslog;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * The files of an access log in their directory, {@code accesses-<begin in ms since 1970>.csv.gz}, oldest first, and beside
 * each the paths of its blocks, {@code paths-<begin>.tsv.gz}. The
 * directory and the files are for their owner only.
 */
public final class Segments {

    private static final Pattern NAME = Pattern.compile("accesses-(\\d{13})\\.csv\\.gz");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** Nearly three months of a cluster that reads little: each hour makes a file. */
    static final int MOST_SEGMENTS = 2_048;

    private final Path dir;
    /** Of all segments but the latest, when the directory was looked at last. */
    private long earlierBytes;

    /** A file of the log; its accesses begin at {@code fromMs} and end where the next one's begin. */
    public record Segment(Path file, long fromMs, long bytes) {

        public String name() {
            return String.valueOf(file.getFileName());
        }
    }

    Segments(Path dir) {
        this.dir = dir;
    }

    /** The log's own directory in the one that is configured, which may have been there for other files, and keeps its mode. */
    public static Path below(Path configured) {
        return configured.resolve("accesses");
    }

    /** Makes the directory, or takes it from everybody else. */
    static Segments open(Path dir) throws IOException {
        Files.createDirectories(dir, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        if (!EnumSet.copyOf(Files.getPosixFilePermissions(dir)).equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(dir, OWNER_ONLY);
        }
        return new Segments(dir);
    }

    Path dir() {
        return dir;
    }

    Path fileFor(long fromMs) {
        return dir.resolve(String.format(Locale.ROOT, "accesses-%013d.csv.gz", fromMs));
    }

    /** Where the paths of the blocks of such a file are. */
    Path pathsFor(long fromMs) {
        return dir.resolve(String.format(Locale.ROOT, "paths-%013d.tsv.gz", fromMs));
    }

    /** A new gzipped file for its owner only, to be flushed as it is written; none where there is no room to begin it. */
    static OutputStream create(Path file) throws IOException {
        return gzipped(createPlain(file), file);
    }

    static OutputStream gzipped(OutputStream plain, Path file) throws IOException {
        try {
            return new GZIPOutputStream(plain, 1 << 15, true);
        } catch (IOException e) {
            try (plain) {
                Files.deleteIfExists(file);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /** A new file for its owner only. */
    static OutputStream createPlain(Path file) throws IOException {
        return Channels.newOutputStream(Files.newByteChannel(
                file,
                EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    }

    List<Segment> list() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.filter(file ->
                            NAME.matcher(String.valueOf(file.getFileName())).matches())
                    .map(Segments::segment)
                    .sorted(Comparator.comparingLong(Segment::fromMs))
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Segment segment(Path file) {
        String name = String.valueOf(file.getFileName());
        long fromMs = Long.parseLong(name.replaceAll("\\D", ""));
        return new Segment(file, fromMs, file.toFile().length());
    }

    /** A part of a segment from an offset on; empty at its end. */
    byte[] read(String segment, long offset, int mostBytes) throws IOException {
        for (Segment known : list()) {
            if (known.name().equals(segment)) {
                return read(known.file(), offset, mostBytes);
            }
        }
        throw new IOException("the log of accesses has no file " + segment + " any more; ask again");
    }

    private static byte[] read(Path file, long offset, int mostBytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long left = Math.max(0, channel.size() - offset);
            ByteBuffer part = ByteBuffer.allocate((int) Math.min(mostBytes, left));
            while (part.hasRemaining() && channel.read(part, offset + part.position()) >= 0) {
                continue;
            }
            byte[] bytes = new byte[part.position()];
            part.flip().get(bytes);
            return bytes;
        }
    }

    /** The segments with accesses from a time on: those that began later, and the one before them. */
    List<Segment> since(long fromMs) throws IOException {
        List<Segment> all = list();
        int first = 0;
        for (int i = 0; i < all.size(); i++) {
            first = all.get(i).fromMs() <= fromMs ? i : first;
        }
        return all.subList(first, all.size());
    }

    /** Of all files, without a look at the directory; the latest begins at {@code latestMs}. */
    long bytes(long latestMs) {
        return earlierBytes + bytesOf(latestMs);
    }

    private long bytesOf(long fromMs) {
        return fileFor(fromMs).toFile().length() + pathsFor(fromMs).toFile().length();
    }

    /**
     * Deletes files until all are within the bounds: first those of a clock that was ahead, then the oldest. Looks at each file.
     *
     * @param latestMs begin of the latest, which stays; a file that begins later is of such a clock
     */
    void trim(long mostBytes, long latestMs) throws IOException {
        List<Segment> toGo = new ArrayList<>(list());
        toGo.sort(Comparator.comparing(segment -> segment.fromMs() <= latestMs));
        long latestBytes = bytesOf(latestMs);
        long sum = latestBytes;
        for (Segment segment : toGo) {
            sum += segment.fromMs() == latestMs ? 0 : bytesOf(segment.fromMs());
        }
        for (int i = 0; i < toGo.size() - 1 && (sum > mostBytes || toGo.size() - i > MOST_SEGMENTS); i++) {
            long fromMs = toGo.get(i).fromMs();
            sum -= bytesOf(fromMs);
            Files.deleteIfExists(pathsFor(fromMs));
            Files.deleteIfExists(toGo.get(i).file());
        }
        earlierBytes = sum - latestBytes;
    }
}
