package io.terrace.policy.replay;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads a trace: CSV, plain or gzipped, with the header {@value #HEADER}. Seconds may have decimals and must not go
 * back; {@code op} is {@code R} or {@code W}; {@code job} may be empty. An access of more bytes than the object has is
 * taken as one of the whole object.
 *
 * <p>Whatever does not fit is refused with a {@link TraceFormatException} that names file and line.
 */
public final class TraceReader {

    public static final String HEADER = "time_s,object_id,bytes,op,obj_size,job";

    private static final int COLUMNS = 6;

    private final Object2IntOpenHashMap<String> objects = new Object2IntOpenHashMap<>();
    private final Object2IntOpenHashMap<String> jobs = new Object2IntOpenHashMap<>();
    private final String[] fields = new String[COLUMNS];
    private final String name;

    private TraceReader(String name) {
        this.name = name;
        objects.defaultReturnValue(-1);
        jobs.defaultReturnValue(-1);
    }

    /** Reads a file; whether it is gzipped is seen from its first bytes. */
    public static Trace read(Path file) throws IOException {
        Path base = file.getFileName();
        String name = (base == null ? file : base).toString().replaceFirst("\\.csv(\\.gz)?$", "");
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
                Reader reader = new InputStreamReader(unpacked(raw), StandardCharsets.UTF_8)) {
            return read(name, reader);
        } catch (ZipException | EOFException e) {
            throw new TraceFormatException(name, 0, "the gzip data is damaged or cut short: " + e.getMessage());
        }
    }

    private static InputStream unpacked(InputStream raw) throws IOException {
        raw.mark(2);
        int magic = raw.read() | raw.read() << 8;
        raw.reset();
        return magic == GZIPInputStream.GZIP_MAGIC ? new GZIPInputStream(raw, 1 << 16) : raw;
    }

    /** Reads from any source of text. */
    public static Trace read(String name, Reader source) throws IOException {
        return new TraceReader(name).readAll(new BufferedReader(source, 1 << 16));
    }

    private Trace readAll(BufferedReader lines) throws IOException {
        String header = lines.readLine();
        if (header == null) {
            throw new TraceFormatException(name, 1, "the file is empty; the first line must be " + HEADER);
        }
        if (!header.strip().equals(HEADER)) {
            throw new TraceFormatException(name, 1, "the header is '" + header + "' but must be " + HEADER);
        }
        Trace.Builder rows = new Trace.Builder(name);
        long lastMs = Long.MIN_VALUE;
        int number = 1;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            split(line, number);
            long timeMs = timeMs(fields[0], number);
            if (timeMs < lastMs) {
                throw new TraceFormatException(
                        name, number, "time " + fields[0] + " s goes back; sort the trace by time_s");
            }
            lastMs = timeMs;
            long sizeBytes = count("obj_size", fields[4], number);
            long bytes = Math.min(count("bytes", fields[2], number), sizeBytes);
            rows.add(timeMs, number(objects, fields[1]), bytes, sizeBytes, write(number), job());
        }
        if (rows.rows() == 0) {
            throw new TraceFormatException(name, number, "there is no access in it");
        }
        return rows.build(objects.size(), jobs.size());
    }

    private void split(String line, int number) throws TraceFormatException {
        int from = 0;
        for (int column = 0; column < COLUMNS; column++) {
            int comma = line.indexOf(',', from);
            if (comma < 0 != (column == COLUMNS - 1)) {
                throw new TraceFormatException(name, number, "there must be " + COLUMNS + " columns: '" + line + "'");
            }
            fields[column] =
                    line.substring(from, comma < 0 ? line.length() : comma).strip();
            from = comma + 1;
        }
        if (fields[1].isEmpty()) {
            throw new TraceFormatException(name, number, "object_id is empty");
        }
    }

    private long timeMs(String text, int number) throws TraceFormatException {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds >= 0 && seconds < 1e12) {
                return Math.round(seconds * 1000);
            }
        } catch (NumberFormatException e) {
            throw new TraceFormatException(name, number, "time_s '" + text + "' is not a number");
        }
        throw new TraceFormatException(name, number, "time_s '" + text + "' is not in 0..1e12");
    }

    private long count(String column, String text, int number) throws TraceFormatException {
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= 1L << 50) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new TraceFormatException(name, number, column + " '" + text + "' is not a whole number");
        }
        throw new TraceFormatException(name, number, column + " '" + text + "' is not in 0..2^50 bytes");
    }

    private boolean write(int number) throws TraceFormatException {
        String op = fields[3];
        if (op.equals("R") || op.equals("W")) {
            return op.equals("W");
        }
        throw new TraceFormatException(name, number, "op '" + op + "' is neither R nor W");
    }

    private int job() {
        return fields[5].isEmpty() ? -1 : number(jobs, fields[5]);
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
