package io.terrace.bench.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.guides.Shell;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test page}. Without Chromium the exit code is 2. */
@Command(
        name = "page",
        mixinStandardHelpOptions = true,
        description = {
            "Looks at the page of a live cluster in Chromium, at 1280 and 400 pixels: its numbers must be those of placementctl"
                    + " status, axe must find nothing serious, and names of files must show as they are. Then once more with"
                    + " 100 and 1000 DataNodes, most of them synthetic: registered with the NameNode, and heard by its"
                    + " placement service, but without data; and what viewers cost the NameNode. Last, the page of a standby,"
                    + " whose link must lead to that of the active NameNode.",
            "Needs chromium and chromedriver, as in Debian's packages chromium and chromium-driver. Maven fetches the jars that"
                    + " drive them."
        })
public final class PageTest implements Callable<Integer> {
    private static final int DATANODES = 2;

    /** Of each daemon: enough for a NameNode of 1000 DataNodes. */
    private static final int HEAP_MB = 2048;

    private static final List<Integer> WIDTHS = List.of(1280, 400);
    private static final double MOST_KB = 150;
    private static final double READY_SECONDS = 1;
    private static final int STANDBY_SECONDS = 60;

    /** Hadoop's filter for {@code user.name}, as a cluster without Kerberos may have it. */
    private static final Map<String, String> WEB_USERS = Map.of(
            "hadoop.http.filter.initializers",
            "org.apache.hadoop.security.AuthenticationFilterInitializer",
            "hadoop.http.authentication.type",
            "simple",
            "hadoop.http.authentication.simple.anonymous.allowed",
            "true");

    @Option(names = "--chromium", paramLabel = "DIR", description = "directory of both programs (those on the PATH)")
    private @Nullable Path programsDir;

    @Option(names = "--pictures", paramLabel = "DIR", description = "keep a picture of each visit there")
    private @Nullable Path picturesDir;

    @Option(
            names = "--datanodes",
            split = ",",
            paramLabel = "N",
            description = "sizes of the larger clusters (${DEFAULT-VALUE}); viewers look at the last")
    private List<Integer> sizes = List.of(100, 1000);

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Chromium chromium = Chromium.find(programsDir)
                .orElseThrow(() -> testRun.usage(
                        "chromium and chromedriver are not there: install the packages chromium and chromium-driver, or name"
                                + " their directory with --chromium"));
        return testRun.run("page", (dir, sheet) -> run(new Browser(chromium, dir.resolve("visits")), dir, sheet));
    }

    private void run(Browser browser, Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        ClusterSpec spec = ClusterSpec.of(DATANODES, 128 << 20)
                .withBlockBytes(4 << 20)
                .withHeapMb(HEAP_MB)
                .withProperties(WEB_USERS);
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("cluster"), spec)) {
            LocalCluster cluster = temporary.cluster();
            OddFiles files = new OddFiles();
            files.store(cluster);
            Shell shell = Shell.ofPlacementctl(dir, cluster);
            each(files, shell, "placementctl pin \"$NAME\"");
            String page = "http://localhost:" + cluster.ports().namenodeHttp() + "/terrace/";
            String user = UserGroupInformation.getCurrentUser().getShortUserName();
            // Two samples of the page's history, so that its charts are drawn.
            JavaProcess.pause(12_000);

            sheet.section("Live cluster");
            // Like the page of a NameNode that has run for a while: what answers is compiled.
            List<Seen> unused = browser.make(List.of(new Visit("first", page, WIDTHS.get(0), false, List.of(), false)));
            List<Visit> visits = new ArrayList<>();
            for (int width : WIDTHS) {
                visits.add(new Visit(
                        "live-" + width,
                        page + "?user.name=" + user,
                        width,
                        false,
                        width == WIDTHS.get(0) ? files.names() : List.of(),
                        false));
            }
            visits.add(new Visit("live-dark", page + "?user.name=" + user, WIDTHS.get(0), true, List.of(), false));
            visits.add(new Visit("live-nobody", page, WIDTHS.get(0), false, List.of(), false));
            List<Seen> live = visit(browser, visits, shell, "page.live", sheet);
            names(live.get(0), files, sheet);
            nobody(live.get(live.size() - 1), files, sheet);

            try (PlacementAdmin admin = new PlacementAdmin(cluster);
                    SyntheticDataNodes synthetic =
                            new SyntheticDataNodes(cluster, admin.nodes().get(0))) {
                for (int size : sizes) {
                    sheet.section(size + " DataNodes");
                    synthetic.register(size - DATANODES);
                    JavaProcess.pause(7_000);
                    List<Visit> large = new ArrayList<>();
                    for (int width : WIDTHS) {
                        large.add(new Visit(size + "-" + width, page, width, false, List.of(), false));
                    }
                    visit(browser, large, shell, "page." + size, sheet);
                    synthetic.check();
                }
                sheet.section("Viewers");
                each(files, shell, "placementctl unpin \"$NAME\"");
                new ViewerCost(cluster, admin, page).measure(sheet);
                synthetic.check();
            }
            sheet.section("Standby");
            standby(browser, dir.resolve("pair"), sheet);
        } finally {
            if (picturesDir != null) {
                browser.keepPictures(picturesDir);
            }
        }
    }

    /** The page of a NameNode that is a standby, and where its link leads to. */
    private static void standby(Browser browser, Path dir, ResultSheet sheet) throws IOException {
        try (HaCluster pair = HaCluster.up(dir, 1, Map.of())) {
            int standby = 1 - pair.active();
            for (int number : List.of(pair.active(), standby)) {
                boolean active = number == pair.active();
                URI status = URI.create(page(pair, number) + "api/status");
                Optional<String> fault = Waits.untilRight(
                        STANDBY_SECONDS,
                        () -> new ObjectMapper()
                                                .readTree(status.toURL())
                                                .path("active")
                                                .asBoolean()
                                        == active
                                ? Optional.empty()
                                : Optional.of(status + " is not that of " + (active ? "the active one" : "a standby")));
                if (fault.isPresent()) {
                    throw new IOException(fault.get());
                }
            }
            List<Visit> visits = new ArrayList<>();
            for (int width : WIDTHS) {
                visits.add(new Visit("standby-" + width, page(pair, standby), width, false, List.of(), true));
            }
            List<Seen> seen = browser.make(visits);
            looks(seen, "page.standby", sheet);
            sheet.exactly(
                    "page.standby.said",
                    seen.stream()
                            .filter(one -> one.state().contains(" is a standby: it decides nothing"))
                            .count(),
                    visits.size());
            String active = page(pair, pair.active());
            sheet.exactly(
                    "page.standby.leads",
                    seen.stream()
                            .filter(one -> one.followed().startsWith(active + " Active in NameNode "))
                            .count(),
                    visits.size());
        }
    }

    private static String page(HaCluster pair, int number) {
        return "http://" + pair.webAddress(number) + "/terrace/";
    }

    private static void each(OddFiles files, Shell shell, String command) throws IOException, InterruptedException {
        for (String name : files.names()) {
            String unused = shell.with("NAME", name).output(command);
        }
    }

    private static List<Seen> visit(Browser browser, List<Visit> visits, Shell shell, String figure, ResultSheet sheet)
            throws IOException, InterruptedException {
        JsonNode before = status(shell);
        List<Seen> seen = browser.make(visits);
        JsonNode after = status(shell);
        looks(seen, figure, sheet);
        int numbers = 0;
        int differ = 0;
        for (Seen one : seen) {
            numbers += one.figures().size();
            differ += said(sheet, one.name() + ", numbers", different(one, before, after));
        }
        sheet.atLeast(figure + ".numbers", numbers, 10 * seen.size());
        sheet.exactly(figure + ".numbers.differ", differ, 0);
        return seen;
    }

    private static void looks(List<Seen> seen, String figure, ResultSheet sheet) {
        double ready = 0;
        double kilobytes = 0;
        int lines = 0;
        int serious = 0;
        int wide = 0;
        for (Seen one : seen) {
            ready = Math.max(ready, one.readySeconds());
            kilobytes = Math.max(kilobytes, one.bytes() / 1024.0);
            lines += said(sheet, one.name() + ", console", one.console());
            serious += said(sheet, one.name() + ", axe", one.serious());
            wide = Math.max(wide, one.wide());
        }
        sheet.below(figure + ".ready_s", ready, READY_SECONDS);
        sheet.below(figure + ".kilobytes", kilobytes, MOST_KB);
        sheet.exactly(figure + ".console", lines, 0);
        sheet.exactly(figure + ".axe", serious, 0);
        sheet.exactly(figure + ".too_wide", wide, 0);
    }

    /** The service's answer, which the page has too. */
    private static JsonNode status(Shell shell) throws IOException, InterruptedException {
        JsonNode answer = new ObjectMapper().readTree(shell.output("placementctl --json status"));
        JsonNode service = answer.path("services").path(0);
        return service.has("status") ? service.path("status") : service;
    }

    private static List<String> different(Seen seen, JsonNode before, JsonNode after) {
        List<String> different = new ArrayList<>();
        for (Seen.Shown shown : seen.figures()) {
            ShownNumber number = ShownNumber.parse(shown.text());
            double was = ShownNumber.of(before, shown.id());
            double is = ShownNumber.of(after, shown.id());
            if (!number.isBetween(was, is)) {
                different.add(
                        shown.id() + " is shown as " + shown.text() + ", placementctl says " + was + " and then " + is);
            }
        }
        return different;
    }

    private static int said(ResultSheet sheet, String what, List<String> lines) {
        lines.forEach(line -> sheet.progress(what + ": " + line));
        return lines.size();
    }

    private static void names(Seen seen, OddFiles files, ResultSheet sheet) {
        List<String> wrong = new ArrayList<>();
        for (String name : files.names()) {
            if (!seen.names().contains(name)) {
                wrong.add("not among the hottest files: " + shortened(name));
            }
            if (!seen.pins().contains(name)) {
                wrong.add("not among the pins: " + shortened(name));
            }
            if (!seen.explained().contains(name)) {
                wrong.add("not explained: " + shortened(name));
            }
        }
        sheet.note("page.names", files.names().size(), "files of odd names");
        sheet.exactly("page.names.differ", said(sheet, "names", wrong), 0);
        sheet.exactly("page.names.injected", seen.injected(), 0);
    }

    private static String shortened(String name) {
        return name.length() <= 60 ? name : name.substring(0, 60) + "...";
    }

    private static void nobody(Seen seen, OddFiles files, ResultSheet sheet) {
        sheet.exactly(
                "page.nobody.paths",
                files.names().stream()
                        .filter(name -> seen.text().contains(name.substring(1, 9)))
                        .count(),
                0);
    }
}
