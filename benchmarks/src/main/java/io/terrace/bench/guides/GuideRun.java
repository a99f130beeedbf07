package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Follows one page: its first commands, then the application's work, then the commands that show whether it worked. */
final class GuideRun {
    private static final double SHARE_LEAST = 0.9;
    private static final String POLICY = "placement.yaml";

    private final LocalCluster cluster;
    private final Path root;
    private final ResultSheet sheet;

    /** @param root of the checkout */
    GuideRun(LocalCluster cluster, Path root, ResultSheet sheet) {
        this.cluster = cluster;
        this.root = root;
        this.sheet = sheet;
    }

    /** @param dir for files and logs */
    void run(Guide guide, Path dir) throws IOException, InterruptedException {
        sheet.section(guide.page());
        GuidePage page = GuidePage.read(root.resolve(guide.page()));
        List<String> scripts = page.scripts();
        try (GuidedApplication application = guide.start(page, cluster, root, Files.createDirectories(dir))) {
            sheet.progress("input " + application.variables());
            Shell shell = shell(dir, application);
            if (Files.readString(root.resolve(guide.page())).contains(POLICY)) {
                Files.writeString(dir.resolve(POLICY), String.join("", page.contents(POLICY)));
            }
            int failed = shell.run(scripts.get(0)) ? 0 : 1;
            double share = application.work();
            for (String script : scripts.subList(1, scripts.size())) {
                failed += shell.run(script) ? 0 : 1;
            }
            sheet.note(
                    guide.figure("commands"), String.join("", scripts).lines().count(), "of the page");
            sheet.exactly(guide.figure("failed"), failed, 0);
            sheet.atLeast(guide.figure("memory.share"), share, SHARE_LEAST);
        }
    }

    private Shell shell(Path dir, GuidedApplication application) throws IOException {
        Shell shell = new Shell(dir, dir.resolve("commands.log"))
                .with("PATH", root.resolve("bin") + ":" + System.getenv("PATH"))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("TERRACE_CLASSPATH", ClassPath.ofThisProcess().hadoop().text())
                .with("HADOOP_CONF_DIR", cluster.layout().conf());
        application.variables().forEach(shell::with);
        return shell;
    }
}
