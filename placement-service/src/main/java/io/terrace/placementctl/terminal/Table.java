package io.terrace.placementctl.terminal;

import io.terrace.common.ShownName;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table for a terminal, at most {@value #WIDTH} columns wide. When the rows are wider, the one flexible column gives
 * way, its texts cut in the middle, where paths say least.
 */
public final class Table {

    public static final int WIDTH = 100;

    private static final int LEAST_FLEXIBLE = 12;
    private static final Pattern WORD = Pattern.compile("'[^']*'\\S*|\\S+");

    private final String[] heads;
    private final boolean[] right;
    private final List<String[]> rows = new ArrayList<>();
    private final int flexible;

    /** @param heads column heads; a leading {@code >} aligns right, a leading {@code ~} marks the flexible column */
    public Table(String... heads) {
        this.heads = new String[heads.length];
        this.right = new boolean[heads.length];
        int found = heads.length - 1;
        for (int i = 0; i < heads.length; i++) {
            right[i] = heads[i].startsWith(">");
            if (heads[i].startsWith("~")) {
                found = i;
            }
            this.heads[i] = right[i] || heads[i].startsWith("~") ? heads[i].substring(1) : heads[i];
        }
        this.flexible = found;
    }

    public Table row(@Nullable Object... cells) {
        if (cells.length != heads.length) {
            throw new IllegalArgumentException(cells.length + " cells for " + heads.length + " columns");
        }
        String[] row = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            row[i] = cells[i] == null ? "-" : printable(cells[i].toString());
        }
        rows.add(row);
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Lines without trailing blanks. */
    public List<String> lines() {
        int[] widths = new int[heads.length];
        int sum = 2 * (heads.length - 1);
        for (int i = 0; i < heads.length; i++) {
            widths[i] = heads[i].length();
            for (String[] row : rows) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
            sum += widths[i];
        }
        if (sum > WIDTH) {
            widths[flexible] = Math.max(LEAST_FLEXIBLE, widths[flexible] - (sum - WIDTH));
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(heads, widths));
        rows.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    private String line(String[] cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            String cell = ShownName.shortened(cells[i], widths[i]);
            String blanks = " ".repeat(widths[i] - cell.length());
            line.append(i == 0 ? "" : "  ").append(right[i] ? blanks + cell : cell + blanks);
        }
        return line.toString().stripTrailing();
    }

    /** A text in lines that fit with a small indent, broken at blanks. */
    public static List<String> wrapped(String text) {
        return wrapped(text, WIDTH - 4);
    }

    /** The same in lines of at most so many letters. What is in single quotes stays together. */
    public static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        Matcher words = WORD.matcher(printable(text));
        while (words.find()) {
            String word = words.group();
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** A file's name may hold what moves a terminal's cursor. */
    public static String printable(String text) {
        return ShownName.printable(text);
    }
}
