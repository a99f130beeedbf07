package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDK on this host.
 *
 * @param dir what JAVA_HOME would be
 * @param feature its version, such as 17
 */
public record JavaHome(Path dir, int feature) {
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)[^\"]*\"");

    /** From this version a JVM warns about native libraries and sun.misc.Unsafe, both of which Hadoop uses. */
    private static final int WARNS_SINCE = 24;

    /** The JDK that runs this process. */
    public static JavaHome ofThisProcess() {
        return new JavaHome(
                Path.of(System.getProperty("java.home")), Runtime.version().feature());
    }

    /** The JDK of a directory, which has a file that says its version. */
    public static JavaHome at(Path dir) throws IOException {
        Path release = dir.resolve("release");
        if (!Files.isExecutable(dir.resolve("bin/java")) || !Files.isReadable(release)) {
            throw new ClusterException(dir + " is no JDK: it has no bin/java or no file 'release'");
        }
        Matcher version = VERSION.matcher(Files.readString(release));
        if (!version.find()) {
            throw new ClusterException(release + " names no JAVA_VERSION");
        }
        return new JavaHome(dir, Integer.parseInt(version.group(1)));
    }

    Path java() {
        return dir.resolve("bin/java");
    }

    /** What every JVM of Hadoop needs from this version on. */
    List<String> hadoopOptions() {
        return feature < WARNS_SINCE
                ? List.of()
                : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }
}
