package io.terrace.bench.soak;

import io.terrace.bench.faults.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a process holds at a moment at which nobody reads or writes. */
final class ProcessSample {
    private static final Pattern USED = Pattern.compile("(?:new generation|tenured generation) .*used (\\d+)K");

    private static final int JCMD_SECONDS = 60;

    /** What is measured, and the growth that does not count. */
    enum Resource {
        /** Bytes, after a collection. A fifth more does not count either: files and snapshots become more. */
        HEAP(12L << 20, 0.2),
        DESCRIPTORS(24),
        THREADS(12),
        /** Lines of {@code /proc/PID/maps}. */
        MAPPINGS(64),
        /** Hard links by which clients open extents. */
        LINKS(16),
        /** Bytes of the memory tier's file system that are no copies, or beyond the tier's capacity. */
        TMPFS(8L << 20);

        private final long slack;
        private final double share;

        Resource(long slack) {
            this(slack, 0);
        }

        Resource(long slack, double share) {
            this.slack = slack;
            this.share = share;
        }

        /** @param first what there was at first */
        double slack(long first) {
            return Math.max(slack, share * first);
        }
    }

    private ProcessSample() {}

    /** Looks at a JVM of this user. */
    static Map<Resource, Long> of(long pid) throws IOException {
        Map<Resource, Long> sample = new EnumMap<>(Resource.class);
        sample.put(Resource.HEAP, heapBytes(jcmd(pid, "GC.run", "GC.heap_info")));
        Path proc = Path.of("/proc", Long.toString(pid));
        sample.put(Resource.DESCRIPTORS, entries(proc.resolve("fd")));
        sample.put(Resource.THREADS, entries(proc.resolve("task")));
        sample.put(Resource.MAPPINGS, (long) Files.readAllLines(proc.resolve("maps"), StandardCharsets.ISO_8859_1)
                .size());
        return sample;
    }

    /**
     * Adds what a DataNode has on the file system of its memory tier.
     *
     * @param capacityBytes of the tier
     */
    static void addMemory(Map<Resource, Long> sample, Path memory, long capacityBytes) throws IOException {
        long links = 0;
        long copies = 0;
        for (Path file : LiveFiles.below(memory)) {
            if (file.getFileName().toString().startsWith("blk_")) {
                copies += file.toFile().length();
            } else {
                links++;
            }
        }
        var store = Files.getFileStore(memory);
        sample.put(Resource.LINKS, links);
        long used = store.getTotalSpace() - store.getUnallocatedSpace();
        sample.put(Resource.TMPFS, unexplained(used, copies, capacityBytes));
    }

    /** Copies may fill the tier, which takes a while; what is neither of them nor within its capacity must not grow. */
    static long unexplained(long usedBytes, long copiesBytes, long capacityBytes) {
        return usedBytes - Math.min(copiesBytes, capacityBytes);
    }

    /** Used bytes of the generations, from what the serial collector's JVM answers. */
    static long heapBytes(String info) throws IOException {
        Matcher matcher = USED.matcher(info);
        long bytes = 0;
        boolean found = false;
        while (matcher.find()) {
            bytes += Long.parseLong(matcher.group(1)) << 10;
            found = true;
        }
        if (!found) {
            throw new IOException("no heap in: " + info);
        }
        return bytes;
    }

    private static long entries(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.count();
        }
    }

    /** Gives a JVM commands, by one call: each starts a JVM of its own. */
    private static String jcmd(long pid, String... commands) throws IOException {
        Path script = Files.createTempFile("terrace-soak", ".jcmd");
        Path answer = Files.createTempFile("terrace-soak", ".answer");
        try {
            Files.write(script, List.of(commands));
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            "-J-XX:TieredStopAtLevel=1",
                            "-J-XX:+UseSerialGC",
                            Long.toString(pid),
                            "-f",
                            script.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(answer.toFile())
                    .start();
            if (!process.waitFor(JCMD_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("process " + pid + " has not answered jcmd in " + JCMD_SECONDS + " s");
            }
            String said = Files.readString(answer);
            if (process.exitValue() != 0) {
                throw new IOException("jcmd of process " + pid + " failed: " + said);
            }
            return said;
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        } finally {
            Files.delete(script);
            Files.delete(answer);
        }
    }
}
