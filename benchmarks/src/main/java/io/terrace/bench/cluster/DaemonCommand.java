package io.terrace.bench.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command line of a daemon's JVM.
 *
 * @param java the JDK that runs it
 * @param mark the word by which the process is known again
 * @param log file that its log4j.properties writes to
 * @param crash file for what a JVM says that crashes
 * @param jvm heap and other options, class path and main class
 */
record DaemonCommand(JavaHome java, String mark, Path log, Path crash, List<String> jvm) {
    /** System property of this process: one more option for the JVM of each daemon. */
    static final String OPTION_PROPERTY = "terrace.daemon.option";

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    /**
     * What a daemon of a cluster is given.
     *
     * @param number replaces {@code ${terrace.daemon.number}} in its properties
     */
    static List<String> jvm(ClusterSpec spec, int number, Path conf, ClassPath classPath, String mainClass) {
        List<String> words = new ArrayList<>(List.of(
                "-Xmx" + spec.heapMb() + "m", "-XX:+UseSerialGC", "-D" + LocalCluster.NUMBER_PROPERTY + "=" + number));
        Optional.ofNullable(System.getProperty(OPTION_PROPERTY)).ifPresent(words::add);
        String first = conf + ":";
        if (mainClass.equals(LocalCluster.DATANODE) && !spec.nativeDir().isEmpty()) {
            words.add("-Djava.library.path=" + spec.nativeDir());
            first += spec.nativeDir() + ":";
        }
        words.addAll(List.of("-cp", first + classPath.text(), mainClass));
        return words;
    }

    List<String> words() {
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            words.add(SETSID.toString());
        }
        words.add(java.java().toString());
        words.add(mark);
        words.add("-Dterrace.log.file=" + log);
        words.add("-Djava.net.preferIPv4Stack=true");
        words.add("-XX:ErrorFile=" + crash);
        words.add("-XX:+ExitOnOutOfMemoryError");
        words.addAll(java.hadoopOptions());
        words.addAll(jvm);
        return words;
    }
}
