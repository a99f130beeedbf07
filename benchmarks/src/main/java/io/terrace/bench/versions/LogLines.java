package io.terrace.bench.versions;

import io.terrace.bench.cluster.Daemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What the log of a daemon or a client says of classes that do not fit. */
final class LogLines {
    /** A class, method or field that was not found when it was used. */
    private static final Pattern UNRESOLVED = Pattern.compile("\\bjava\\.lang\\.(NoSuchMethodError|NoSuchFieldError"
            + "|NoClassDefFoundError|ClassNotFoundException|IncompatibleClassChangeError|AbstractMethodError"
            + "|IllegalAccessError|VerifyError|BootstrapMethodError|UnsupportedClassVersionError|UnsatisfiedLinkError"
            + "|ExceptionInInitializerError)\\b");

    /** Daemons log the names of classes whole, clients of a local cluster only their last part. */
    private static final Pattern ERROR =
            Pattern.compile(" ERROR +(io\\.terrace\\.|org\\.apache\\.hadoop\\..*Terrace|\\w+: Terrace )");

    private static final String OFF = "Terrace is off";

    private LogLines() {}

    /** What a daemon wrote until now, to its log and its output. */
    static List<String> of(Daemon daemon) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path file : List.of(daemon.log(), daemon.output())) {
            if (Files.exists(file)) {
                lines.addAll(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
            }
        }
        return lines;
    }

    /** Lines that name a class, method or field that is not there. */
    static List<String> unresolved(List<String> log) {
        return log.stream().filter(line -> UNRESOLVED.matcher(line).find()).toList();
    }

    /** Lines at ERROR that classes of Terrace wrote. */
    static List<String> errors(List<String> log) {
        return log.stream().filter(line -> ERROR.matcher(line).find()).toList();
    }

    /** Whether the daemon said that it is stock. */
    static boolean saysOff(List<String> log) {
        return log.stream().anyMatch(line -> line.contains(OFF));
    }
}
