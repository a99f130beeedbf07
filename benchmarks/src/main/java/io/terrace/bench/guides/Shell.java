package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs scripts with nothing of this process's environment but its PATH. What they print is kept in one file. */
public final class Shell {
    private static final long LIMIT_MINUTES = 5;

    private final Path dir;
    private final Path log;
    private final Map<String, String> environment = new LinkedHashMap<>();

    /** @param dir where scripts start */
    public Shell(Path dir, Path log) {
        this.dir = dir;
        this.log = log;
        environment.put("PATH", System.getenv("PATH"));
        environment.put("LANG", "C.UTF-8");
    }

    /** One that finds placementctl and the cluster that it is to ask. */
    public static Shell ofPlacementctl(Path dir, LocalCluster cluster) throws IOException {
        return new Shell(dir, dir.resolve("commands.log"))
                .with("PATH", TestRun.root().resolve("bin") + ":" + System.getenv("PATH"))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("TERRACE_CLASSPATH", ClassPath.ofThisProcess().hadoop().text())
                .with("HADOOP_CONF_DIR", cluster.layout().conf());
    }

    public Shell with(String name, Object value) {
        environment.put(name, value.toString());
        return this;
    }

    public Path log() {
        return log;
    }

    /** Runs a script; a command in it that fails ends it. */
    public boolean run(String script) throws IOException, InterruptedException {
        return start(script, ProcessBuilder.Redirect.appendTo(log.toFile())) == 0;
    }

    /** What a script prints; it must not fail. */
    public String output(String script) throws IOException, InterruptedException {
        Path output = log.resolveSibling("output");
        if (start(script, ProcessBuilder.Redirect.to(output.toFile())) != 0) {
            throw new IOException("failed: " + script + "; see " + log);
        }
        return Files.readString(output);
    }

    private int start(String script, ProcessBuilder.Redirect output) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-euxo", "pipefail", "-c", script).directory(dir.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.redirectOutput(output)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        process.getOutputStream().close();
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            throw new IOException("not done after " + LIMIT_MINUTES + " minutes; see " + log);
        }
        return process.exitValue();
    }
}
