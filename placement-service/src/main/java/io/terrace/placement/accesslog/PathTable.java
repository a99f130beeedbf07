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
 * Looks up the blocks that one file of the log is about. Their paths are in a file beside it: a block id, a tab and the path
 * as it was when the block was first met there, one a line, gzipped. Rules of policies are tried on them; they leave the
 * NameNode's host only as numbers of rules. Who holds them, as it was then, goes to the log itself.
 *
 * <p>Names at most {@value #MOST_BLOCKS} blocks and keeps {@value #MOST_WAITING} waiting to be named; others stay without a
 * name. Each {@link #look} takes the NameNode's lock at most {@value #LOOKS} times.
 */
final class PathTable {

    static final int MOST_BLOCKS = 200_000;
    static final int MOST_WAITING = 65_536;
    static final int LOOKS = 16;

    private final BlockLook blockLook;
    private final boolean named;
    private final int blocksPerLook;
    private final LongOpenHashSet met = new LongOpenHashSet();
    private final LongLinkedOpenHashSet waiting = new LongLinkedOpenHashSet();
    private @Nullable OutputStream out;
    private boolean begun;

    /** Takes the DataNodes that hold a block. */
    @FunctionalInterface
    interface Holders {
        void held(long block, List<String> nodes) throws IOException;
    }

    /**
     * @param named whether paths are kept
     * @param blocksPerLook blocks in one question
     */
    PathTable(BlockLook blockLook, boolean named, int blocksPerLook) {
        this.blockLook = blockLook;
        this.named = named;
        this.blocksPerLook = blocksPerLook;
    }

    /** Begins the table of another file. */
    void begin(Path file) throws IOException {
        end();
        begun = blockLook != BlockLook.NONE;
        if (begun && named) {
            out = Segments.create(file);
        }
    }

    /** The file has an access to the block; false if the block will stay without a name. */
    boolean meet(long block) {
        if (!begun || met.contains(block)) {
            return true;
        }
        if (met.size() >= MOST_BLOCKS || waiting.size() >= MOST_WAITING) {
            return false;
        }
        met.add(block);
        waiting.add(block);
        return true;
    }

    /** Looks up some of those that wait. */
    void look(Holders holders) throws IOException {
        OutputStream table = out;
        for (int i = 0; i < LOOKS && begun && !waiting.isEmpty() && blockLook.isAllowed(); i++) {
            List<Long> asked = new ArrayList<>();
            while (asked.size() < blocksPerLook && !waiting.isEmpty()) {
                asked.add(waiting.removeFirstLong());
            }
            List<BlockLook.@Nullable Found> answers = blockLook.of(asked);
            for (int at = 0; at < answers.size(); at++) {
                BlockLook.Found found = answers.get(at);
                if (found != null && found.path() != null && table != null) {
                    table.write((asked.get(at) + "\t" + escaped(found.path()) + "\n").getBytes(StandardCharsets.UTF_8));
                }
                if (found != null && !found.nodes().isEmpty()) {
                    holders.held(asked.get(at), found.nodes());
                }
            }
            if (table != null) {
                table.flush();
            }
        }
    }

    void end() throws IOException {
        OutputStream table = out;
        out = null;
        begun = false;
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
