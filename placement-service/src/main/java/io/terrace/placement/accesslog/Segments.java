package io.terrace.placement.accesslog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of an access log in their directory, {@code accesses-<begin in ms since 1970>.csv.gz}, oldest first. The
 * directory and the files are for their owner only.
 */
public final class Segments {

    static final String HEADER = "time_s,object_id,bytes,op,obj_size,job";

    private static final Pattern NAME = Pattern.compile("accesses-(\\d{13})\\.csv\\.gz");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path dir;

    /** A file of the log; its accesses begin at {@code fromMs} and end where the next one's begin. */
    public record Segment(Path file, long fromMs, long bytes) {

        public String name() {
            return String.valueOf(file.getFileName());
        }
    }

    Segments(Path dir) {
        this.dir = dir;
    }

    /** Makes the directory, or takes it from everybody else. */
    static Segments open(Path dir) throws IOException {
        Files.createDirectories(dir, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        if (!EnumSet.copyOf(Files.getPosixFilePermissions(dir)).equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(dir, OWNER_ONLY);
        }
        return new Segments(dir);
    }

    Path fileFor(long fromMs) {
        return dir.resolve("accesses-%013d.csv.gz".formatted(fromMs));
    }

    List<Segment> list() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.filter(file ->
                            NAME.matcher(String.valueOf(file.getFileName())).matches())
                    .map(Segments::segment)
                    .sorted(Comparator.comparingLong(Segment::fromMs))
                    .toList();
        }
    }

    private static Segment segment(Path file) {
        String name = String.valueOf(file.getFileName());
        long fromMs = Long.parseLong(name.replaceAll("\\D", ""));
        return new Segment(file, fromMs, file.toFile().length());
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

    long bytes() throws IOException {
        return list().stream().mapToLong(Segment::bytes).sum();
    }

    /** Deletes the oldest until all are within a bound; the one that is being written stays. */
    void trim(long mostBytes) throws IOException {
        List<Segment> all = list();
        long sum = all.stream().mapToLong(Segment::bytes).sum();
        for (int i = 0; i < all.size() - 1 && sum > mostBytes; i++) {
            Files.deleteIfExists(all.get(i).file());
            sum -= all.get(i).bytes();
        }
    }
}
