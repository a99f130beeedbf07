package io.terrace.bench.soak.logs;

import io.terrace.compat.Linkage;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Terrace itself calls an error, in the logs of daemons and clients. It answers most errors by going back to stock HDFS, so
 * nothing else shows them. Counts a line that it is told twice once. Not thread-safe.
 */
public final class ErrorLines {
    /** As the log4j.properties of daemons and of the clients of a soak write it. */
    private static final Pattern ERROR = Pattern.compile("^\\S+ \\S+ (?:ERROR|FATAL) +(\\S+): (.*)$");

    /** Of the test itself. */
    private static final String BENCH = "io.terrace.bench.";

    /** Lines that a fault of the soak explains: none is known. */
    private static final List<Explained> EXPLAINED = List.of();

    private final List<Explained> explained;
    private final BiConsumer<String, String> print;
    private final Set<String> known = new HashSet<>();
    private long errors;
    private long ofFaults;

    /**
     * A line that is no error of Terrace.
     *
     * @param message what is logged, from its beginning
     * @param reason the fault, and why it leads to that
     */
    record Explained(String logger, Pattern message, String reason) {
        private boolean matches(String of, String said) {
            return logger.equals(of) && message.matcher(said).lookingAt();
        }
    }

    /** @param print takes each line that no fault explains, with the name of the process */
    public ErrorLines(BiConsumer<String, String> print) {
        this(EXPLAINED, print);
    }

    ErrorLines(List<Explained> explained, BiConsumer<String, String> print) {
        this.explained = List.copyOf(explained);
        this.print = print;
    }

    /** Takes a line in, of any process. */
    public void take(String process, String line) {
        if (!line.contains(" ERROR ") && !line.contains(" FATAL ")) {
            return;
        }
        Matcher matcher = ERROR.matcher(line);
        if (!matcher.find() || !isOfTerrace(matcher.group(1)) || !known.add(process + " " + line)) {
            return;
        }
        if (reason(matcher.group(1), matcher.group(2)).isPresent()) {
            ofFaults++;
        } else {
            errors++;
            print.accept(process, line);
        }
    }

    /** Whether a logger has the name of a class of Terrace. Some of these are in Hadoop's packages. */
    static boolean isOfTerrace(String logger) {
        return !logger.startsWith(BENCH) && Linkage.isOwn(logger.replace('.', '/'));
    }

    private Optional<String> reason(String logger, String message) {
        return explained.stream()
                .filter(each -> each.matches(logger, message))
                .map(Explained::reason)
                .findFirst();
    }

    /** {@code errors}, and {@code errors.explained}: lines that a fault explains. */
    public Map<String, Long> figures() {
        return Map.of("errors", errors, "errors.explained", ofFaults);
    }
}
