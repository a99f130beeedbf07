package io.terrace.policy.replay;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * The rows of a trace: CSV, plain or gzipped, under the header {@value #HEADER}. Seconds may have decimals; {@code op} is
 * {@code R} or {@code W}; {@code job} may be empty. No value is quoted. A line that begins with {@value #COMMENT} is a comment.
 *
 * <p>An instance reads row after row: {@link #parse} takes one, the accessors give its values. What callers make of rows
 * that go back in time, or that move more bytes than the object has, is theirs.
 */
public final class TraceFormat {

    public static final String HEADER = "time_s,object_id,bytes,op,obj_size,job";

    /** Begins a line that is no row. */
    public static final String COMMENT = "#";

    private static final int COLUMNS = 6;

    /** Policies keep sizes in 48 bits. */
    private static final int SIZE_BITS = 47;

    private final String trace;
    private final boolean lenient;
    private final String[] cells = new String[COLUMNS];
    private long timeMs;
    private long bytes;
    private long sizeBytes;

    private TraceFormat(String trace, boolean lenient) {
        this.trace = trace;
        this.lenient = lenient;
    }

    /** Refuses a row that does not fit. */
    public static TraceFormat strict(String trace) {
        return new TraceFormat(trace, false);
    }

    /** Passes over a row that does not fit, such as one whose end is missing. */
    public static TraceFormat lenient(String trace) {
        return new TraceFormat(trace, true);
    }

    /** Opens a file, the header being its first line; whether it is gzipped is seen from its first bytes. */
    public static BufferedReader open(Path file) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            raw.mark(2);
            int magic = raw.read() | raw.read() << 8;
            raw.reset();
            InputStream text = magic == GZIPInputStream.GZIP_MAGIC ? new GZIPInputStream(raw, 1 << 16) : raw;
            return new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8), 1 << 16);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** Appends a row without a job, and its end of line. */
    public static void append(StringBuilder to, long timeMs, long object, long bytes, boolean write, long sizeBytes) {
        long millis = timeMs % 1000;
        to.append(timeMs / 1000)
                .append(millis < 10 ? ".00" : millis < 100 ? ".0" : ".")
                .append(millis);
        to.append(',').append(object).append(',').append(bytes);
        to.append(write ? ",W," : ",R,").append(sizeBytes).append(",\n");
    }

    /**
     * Reads a row.
     *
     * @param number of the line, from 1
     * @return whether there is one: not on a blank line or a comment, nor where a lenient reader passes over what does not fit
     * @throws TraceFormatException when strict, naming the trace, the line and what is wrong
     */
    public boolean parse(String line, int number) throws TraceFormatException {
        if (line.isBlank() || line.startsWith(COMMENT)) {
            return false;
        }
        try {
            split(line, number);
            timeMs = readTime(cells[0], number);
            sizeBytes = readBytes("obj_size", cells[4], number);
            bytes = readBytes("bytes", cells[2], number);
            if (!isWrite() && !cells[3].equals("R")) {
                throw new TraceFormatException(trace, number, "op '" + cells[3] + "' is neither R nor W");
            }
            return true;
        } catch (TraceFormatException e) {
            if (lenient) {
                return false;
            }
            throw e;
        }
    }

    private void split(String line, int number) throws TraceFormatException {
        int from = 0;
        for (int column = 0; column < COLUMNS; column++) {
            int comma = line.indexOf(',', from);
            if (comma < 0 != (column == COLUMNS - 1)) {
                throw new TraceFormatException(trace, number, "there must be " + COLUMNS + " columns: '" + line + "'");
            }
            cells[column] =
                    line.substring(from, comma < 0 ? line.length() : comma).strip();
            from = comma + 1;
        }
        if (cells[1].isEmpty()) {
            throw new TraceFormatException(trace, number, "object_id is empty");
        }
    }

    private long readTime(String text, int number) throws TraceFormatException {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds >= 0 && seconds < 1e12) {
                return Math.round(seconds * 1000);
            }
        } catch (NumberFormatException e) {
            throw new TraceFormatException(trace, number, "time_s '" + text + "' is not a number");
        }
        throw new TraceFormatException(trace, number, "time_s '" + text + "' is not in 0..1e12");
    }

    private long readBytes(String column, String text, int number) throws TraceFormatException {
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= 1L << SIZE_BITS) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new TraceFormatException(trace, number, column + " '" + text + "' is not a whole number");
        }
        throw new TraceFormatException(
                trace, number, column + " '" + text + "' is not in 0..2^" + SIZE_BITS + " bytes");
    }

    public long timeMs() {
        return timeMs;
    }

    /** The time as the row has it, for messages. */
    String timeText() {
        return cells[0];
    }

    public String object() {
        return cells[1];
    }

    /** Bytes read or written. */
    public long bytes() {
        return bytes;
    }

    public boolean isWrite() {
        return cells[3].equals("W");
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    /** Empty when the row has none. */
    public String job() {
        return cells[5];
    }
}
