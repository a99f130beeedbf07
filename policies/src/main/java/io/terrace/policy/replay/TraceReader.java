package io.terrace.policy.replay;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.zip.ZipException;

/**
 * Reads a trace in the {@link TraceFormat}, strictly: time must not go back, and there must be an access. An access of more
 * bytes than the object has is taken as one of the whole object. Objects whose names differ in their last number are one group.
 *
 * <p>Whatever does not fit is refused with a {@link TraceFormatException} that names file and line.
 */
public final class TraceReader {

    private final Object2IntOpenHashMap<String> objects = new Object2IntOpenHashMap<>();
    private final Object2IntOpenHashMap<String> jobs = new Object2IntOpenHashMap<>();
    private final Object2IntOpenHashMap<String> groups = new Object2IntOpenHashMap<>();
    private final String name;
    private final int mostRows;

    private TraceReader(String name, int mostRows) {
        this.name = name;
        this.mostRows = mostRows;
        objects.defaultReturnValue(-1);
        jobs.defaultReturnValue(-1);
        groups.defaultReturnValue(-1);
    }

    /** Reads a file, plain or gzipped. */
    public static Trace read(Path file) throws IOException {
        return read(file, Integer.MAX_VALUE);
    }

    /**
     * The same, for a process whose memory is bounded.
     *
     * @param mostRows accesses, beyond which the trace is refused
     */
    public static Trace read(Path file, int mostRows) throws IOException {
        Path base = file.getFileName();
        String name = (base == null ? file : base).toString().replaceFirst("\\.csv(\\.gz)?$", "");
        try (BufferedReader lines = TraceFormat.open(file)) {
            return new TraceReader(name, mostRows).readAll(lines);
        } catch (ZipException | EOFException e) {
            throw new TraceFormatException(name, 0, "the gzip data is damaged or cut short: " + e.getMessage());
        }
    }

    /** Reads from any source of text. */
    public static Trace read(String name, Reader source) throws IOException {
        return new TraceReader(name, Integer.MAX_VALUE).readAll(new BufferedReader(source, 1 << 16));
    }

    private Trace readAll(BufferedReader lines) throws IOException {
        String header = lines.readLine();
        if (header == null) {
            throw new TraceFormatException(name, 1, "the file is empty; the first line must be " + TraceFormat.HEADER);
        }
        if (!header.strip().equals(TraceFormat.HEADER)) {
            throw new TraceFormatException(name, 1, "the header is '" + header + "' but must be " + TraceFormat.HEADER);
        }
        TraceFormat row = TraceFormat.strict(name);
        Trace.Builder rows = new Trace.Builder(name);
        long lastMs = Long.MIN_VALUE;
        int number = 1;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (!row.parse(line, number)) {
                continue;
            }
            if (row.timeMs() < lastMs) {
                throw new TraceFormatException(
                        name, number, "time " + row.timeText() + " s goes back; sort the trace by time_s");
            }
            if (rows.rows() == mostRows) {
                throw new TraceFormatException(
                        name, number, "there are more than " + mostRows + " accesses in it; cut it shorter");
            }
            lastMs = row.timeMs();
            int known = objects.size();
            int object = number(objects, row.object());
            if (object == known) {
                rows.group(object, number(groups, group(row.object())));
            }
            rows.add(
                    row.timeMs(),
                    object,
                    Math.min(row.bytes(), row.sizeBytes()),
                    row.sizeBytes(),
                    row.isWrite(),
                    row.job().isEmpty() ? -1 : number(jobs, row.job()));
        }
        if (rows.rows() == 0) {
            throw new TraceFormatException(name, number, "there is no access in it");
        }
        return rows.build(objects.size(), jobs.size());
    }

    /** What an object's name has in common with those that differ in the last number: {@code t7_p#} of {@code t7_p12}. */
    private static String group(String object) {
        int end = object.length();
        while (end > 0 && !isDigit(object.charAt(end - 1))) {
            end--;
        }
        int from = end;
        while (from > 0 && isDigit(object.charAt(from - 1))) {
            from--;
        }
        return object.substring(0, from) + '#' + object.substring(end);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int number(Object2IntOpenHashMap<String> numbers, String key) {
        int number = numbers.getInt(key);
        if (number < 0) {
            number = numbers.size();
            numbers.put(key, number);
        }
        return number;
    }
}
