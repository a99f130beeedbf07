package io.terrace.bench.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.type.CollectionType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Makes visits and writes down what they saw: a process of its own, as the jars that drive a browser are not Hadoop's.
 * Arguments: the browser, its driver, the visits as JSON, where to write what they saw; pictures are put beside it.
 */
public final class BrowserMain {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final ChromeDriver driver;

    private BrowserMain(ChromeDriver driver) {
        this.driver = driver;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Chromium chromium = new Chromium(Path.of(args[0]), Path.of(args[1]));
        Path output = Path.of(args[3]);
        CollectionType visits = MAPPER.getTypeFactory().constructCollectionType(List.class, Visit.class);
        List<Seen> seen = new ArrayList<>();
        for (Visit visit : MAPPER.<List<Visit>>readValue(Path.of(args[2]).toFile(), visits)) {
            ChromeDriver driver = start(chromium);
            try {
                seen.add(new BrowserMain(driver).make(visit, output.resolveSibling(visit.name() + ".png")));
            } finally {
                driver.quit();
            }
        }
        MAPPER.writeValue(output.toFile(), seen);
    }

    private static ChromeDriver start(Chromium chromium) {
        LoggingPreferences everything = new LoggingPreferences();
        everything.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.browser().toFile());
        options.setCapability("goog:loggingPrefs", everything);
        options.addArguments(
                "--headless=new",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                // Nothing but the NameNode is asked; a page that names another host fails, and its console says so.
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox");
        }
        return new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(chromium.driver().toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
    }

    private Seen make(Visit visit, Path picture) throws IOException, InterruptedException {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", visit.width(), "height", Visit.HEIGHT, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", visit.dark() ? "dark" : "light"))));
        driver.get(visit.url());
        await("return document.body.dataset.ready === 'true'", visit);
        double readySeconds =
                ((Number) script("return performance.getEntriesByName('ready')[0].startTime")).doubleValue() / 1000;
        long bytes = ((Number) script("return performance.getEntriesByType('navigation')"
                        + ".concat(performance.getEntriesByType('resource'))"
                        + ".reduce((sum, one) => sum + one.transferSize, 0)"))
                .longValue();
        List<Seen.Shown> figures = driver.findElements(By.cssSelector("[data-figure]")).stream()
                .map(element -> new Seen.Shown(
                        Objects.requireNonNull(element.getDomAttribute("data-figure")), element.getText()))
                .toList();
        String state = driver.findElement(By.id("state")).getText();
        List<String> explained = new ArrayList<>();
        if (!visit.questions().isEmpty()) {
            open("top", visit);
            open("pins", visit);
            for (String question : visit.questions()) {
                explained.add(explain(question, visit));
            }
        }
        List<String> serious = serious();
        picture(visit, picture);
        int wide = ((Number) script("return document.documentElement.scrollWidth - window.innerWidth")).intValue();
        int tiers = driver.findElements(By.cssSelector("#tiers tbody tr")).size();
        List<String> top = texts("#top td.name");
        List<String> pins = texts("#pins td.name");
        int injected = ((Number) script("return document.querySelectorAll('main script, main img, main b').length"))
                .intValue();
        String text = (String) script("return document.body.textContent");
        String followed = visit.follows() ? follow(visit) : "";
        List<String> console = driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .toList();
        return new Seen(
                visit.name(),
                readySeconds,
                bytes,
                console,
                serious,
                wide,
                figures,
                state,
                tiers,
                top,
                pins,
                explained,
                injected,
                text,
                followed);
    }

    private String follow(Visit visit) throws IOException, InterruptedException {
        String from = driver.getCurrentUrl();
        driver.findElement(By.cssSelector("#state a")).click();
        await("return location.href !== '" + from + "' && document.body.dataset.ready === 'true'", visit);
        return driver.getCurrentUrl() + " " + driver.findElement(By.id("state")).getText();
    }

    private void open(String list, Visit visit) throws IOException, InterruptedException {
        driver.findElement(By.id(list + "-show")).click();
        await("return !document.getElementById('" + list + "').parentElement.hidden", visit);
    }

    /** What stands over the answer, character by character. */
    private String explain(String question, Visit visit) throws IOException, InterruptedException {
        WebElement box = driver.findElement(By.id("explain-path"));
        // Typed characters would pass through a keyboard's layout, and a line's end would send the form.
        script(
                "arguments[0].value = arguments[1]; document.getElementById('explain').replaceChildren()",
                box,
                question);
        driver.findElement(By.cssSelector("#explain-form button")).click();
        await("return document.getElementById('explain').ariaBusy === 'false'", visit);
        return (String) script("return document.getElementById('explain').firstElementChild.textContent");
    }

    @SuppressWarnings("unchecked")
    private List<String> texts(String selector) {
        return (List<String>)
                script("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector);
    }

    @SuppressWarnings("unchecked")
    private List<String> serious() throws IOException {
        try (InputStream axe = BrowserMain.class.getResourceAsStream("/axe.min.js")) {
            script(new String(Objects.requireNonNull(axe, "axe.min.js").readAllBytes(), StandardCharsets.UTF_8));
        }
        driver.manage().timeouts().scriptTimeout(LIMIT);
        return (List<String>) driver.executeAsyncScript("const done = arguments[0];"
                + "axe.run(document, { resultTypes: ['violations'] }).then(result => done(result.violations"
                + ".filter(one => one.impact === 'serious' || one.impact === 'critical')"
                + ".map(one => one.id + ' at ' + one.nodes.map(node => node.target).join(', '))),"
                + " failed => done(['axe: ' + failed]));");
    }

    private void picture(Visit visit, Path file) throws IOException {
        int height = ((Number) script("return document.documentElement.scrollHeight")).intValue();
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", visit.width(), "height", height, "deviceScaleFactor", 1, "mobile", false));
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    private void await(String condition, Visit visit) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (!Boolean.TRUE.equals(script(condition))) {
            if (System.nanoTime() - deadlineNs > 0) {
                Files.write(Path.of("failed-" + visit.name() + ".png"), driver.getScreenshotAs(OutputType.BYTES));
                throw new IOException(visit.name() + ": not within " + LIMIT.toSeconds() + " s: " + condition
                        + "; it shows '" + driver.findElement(By.id("state")).getText() + "'");
            }
            Thread.sleep(20);
        }
    }

    private Object script(String text, Object... arguments) {
        Object result = driver.executeScript(text, arguments);
        return result == null ? "" : result;
    }
}
