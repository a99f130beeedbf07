package io.terrace.placement.accesslog;

import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the blocks that one file of the log is about, in a file beside it: a block id, a tab and the path as it was
 * when the block was first met there, one a line, gzipped. Rules of policies are tried on them; they leave the NameNode's
 * host only as numbers of rules.
 *
 * <p>Names at most {@value #MOST_BLOCKS} blocks and keeps {@value #MOST_WAITING} waiting to be named; others stay without a
 * name. Each {@link #look} takes the NameNode's lock at most {@value #LOOKS} times.
 */
final class PathTable {

    static final int MOST_BLOCKS = 200_000;
    static final int MOST_WAITING = 65_536;
    static final int LOOKS = 16;

    private final BlockPaths paths;
    private final int blocksPerLook;
    private final LongOpenHashSet met = new LongOpenHashSet();
    private final LongLinkedOpenHashSet waiting = new LongLinkedOpenHashSet();
    private @Nullable OutputStream out;

    /** @param blocksPerLook blocks in one question */
    PathTable(BlockPaths paths, int blocksPerLook) {
        this.paths = paths;
        this.blocksPerLook = blocksPerLook;
    }

    /** Begins the table of another file. */
    void begin(Path file) throws IOException {
        end();
        if (paths != BlockPaths.NONE) {
            out = Segments.create(file);
        }
    }

    /** The file has an access to the block; false if the block will stay without a name. */
    boolean meet(long block) {
        if (out == null || met.contains(block)) {
            return true;
        }
        if (met.size() >= MOST_BLOCKS || waiting.size() >= MOST_WAITING) {
            return false;
        }
        met.add(block);
        waiting.add(block);
        return true;
    }

    /** Names some of those that wait. */
    void look() throws IOException {
        OutputStream table = out;
        for (int i = 0; i < LOOKS && table != null && !waiting.isEmpty(); i++) {
            List<Long> asked = new ArrayList<>();
            while (asked.size() < blocksPerLook && !waiting.isEmpty()) {
                asked.add(waiting.removeFirstLong());
            }
            List<@Nullable String> found = paths.of(asked);
            for (int at = 0; at < found.size(); at++) {
                String path = found.get(at);
                if (path != null) {
                    table.write((asked.get(at) + "\t" + escaped(path) + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
            table.flush();
        }
    }

    void end() throws IOException {
        OutputStream table = out;
        out = null;
        met.clear();
        waiting.clear();
        if (table != null) {
            table.close();
        }
    }

    private static String escaped(String path) {
        return path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static String plain(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder path = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '\\' && i + 1 < text.length()) {
                char next = text.charAt(++i);
                letter = next == 'n' ? '\n' : next == 'r' ? '\r' : next;
            }
            path.append(letter);
        }
        return path.toString();
    }

    /** Told of the blocks of a table, in its order. */
    @FunctionalInterface
    public interface Reader {
        void block(long block, String path);
    }

    /**
     * Reads some of a table.
     *
     * @param from blocks to leave out
     * @return blocks read, less than {@code most} at the end
     */
    static int read(Path file, int from, int most, Reader reader) throws IOException {
        int read = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file), 1 << 16), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            for (int number = 0; line != null && read < most; number++) {
                int tab = line.indexOf('\t');
                if (number >= from) {
                    read++;
                    if (tab > 0) {
                        reader.block(Long.parseLong(line.substring(0, tab)), plain(line.substring(tab + 1)));
                    }
                }
                line = lines.readLine();
            }
        } catch (EOFException | ZipException | NumberFormatException e) {
            // The end of the file is missing; the lines before it count.
            return read;
        }
        return read;
    }
}
