package io.terrace.bench.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a daemon's JVM, with the JDK that runs this process.
 *
 * @param mark the word by which the process is known again
 * @param log file that its log4j.properties writes to
 * @param jvm heap and other options, class path and main class
 */
record DaemonCommand(String mark, Path log, List<String> jvm) {
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    /** From this version a JVM warns about native libraries and sun.misc.Unsafe, both of which Hadoop uses. */
    private static final int WARNS_SINCE = 24;

    List<String> words() {
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            words.add(SETSID.toString());
        }
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add(mark);
        words.add("-Dterrace.log.file=" + log);
        words.add("-Djava.net.preferIPv4Stack=true");
        words.add("-XX:+ExitOnOutOfMemoryError");
        if (Runtime.version().feature() >= WARNS_SINCE) {
            words.add("--enable-native-access=ALL-UNNAMED");
            words.add("--sun-misc-unsafe-memory-access=allow");
        }
        words.addAll(jvm);
        return words;
    }
}
