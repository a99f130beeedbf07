package io.terrace.bench.explain;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.guides.Shell;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks {@code placementctl explain} until it says what is expected, and counts. */
final class Explained {
    private static final int LIMIT_SECONDS = 60;
    private static final Pattern BLOCK = Pattern.compile("\\b(blk_\\d+)\\b");

    private final Shell shell;
    private final ResultSheet sheet;
    private int seen;
    private int missing;

    Explained(Shell shell, ResultSheet sheet) {
        this.shell = shell;
        this.sheet = sheet;
    }

    /** What it prints of a file now, on one line. */
    String text(String path) throws IOException, InterruptedException {
        return shell.with("TARGET", path)
                .output("placementctl explain \"$TARGET\"")
                .replaceAll("\\s+", " ")
                .strip();
    }

    boolean isInMemory(String path) throws IOException, InterruptedException {
        return text(path).contains(" IN MEMORY of ");
    }

    /** The first block of a file, as {@code blk_1073741825}. */
    String block(String path) throws IOException, InterruptedException {
        Matcher block = BLOCK.matcher(text(path));
        if (!block.find()) {
            throw new IOException("no block of " + path + " is explained");
        }
        return block.group(1);
    }

    /**
     * A state that a block is in by now, or soon.
     *
     * @param what the state is called here
     * @param words a regular expression of what is printed
     */
    void expect(String what, String path, String words) throws IOException, InterruptedException {
        Matcher found = await(path, words);
        if (found == null) {
            missing++;
            sheet.progress("NOT " + what + ": " + text(path));
        } else {
            seen++;
            sheet.progress(what + ": " + found.group());
        }
    }

    /** A state that one of these files is in, some only for seconds; those that are in it longest come first. */
    void expectOfAny(String what, List<String> paths, String words) throws IOException, InterruptedException {
        Pattern pattern = Pattern.compile(words);
        String text = "";
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        do {
            for (String path : paths) {
                text = text(path);
                Matcher found = pattern.matcher(text);
                if (found.find()) {
                    seen++;
                    sheet.progress(what + ": " + found.group());
                    return;
                }
            }
        } while (System.nanoTime() - deadlineNs < 0);
        missing++;
        sheet.progress("NOT " + what + ": none of " + paths + "; the last one: " + text);
    }

    /** Null if it did not say so in time. */
    @Nullable
    Matcher await(String path, String words) throws IOException, InterruptedException {
        Pattern pattern = Pattern.compile(words);
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (System.nanoTime() - deadlineNs < 0) {
            Matcher found = pattern.matcher(text(path));
            if (found.find()) {
                return found;
            }
            JavaProcess.pause(200);
        }
        return null;
    }

    void figures() {
        sheet.note("explain.states", seen, "");
        sheet.exactly("explain.states.missing", missing, 0);
    }
}
