package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** What the pages of the documentation tell users to type and to set is there. */
class DocumentedUseTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Pattern FENCE =
            Pattern.compile("^ *```(\\w*)\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SPAN = Pattern.compile("`([^`\n]+)`");
    private static final Pattern COMMAND = Pattern.compile("^(?:sudo |\\S*/)?placementctl (.*)$");
    private static final Pattern SETTING = Pattern.compile("^(terrace(?:\\.[a-z0-9-]+)+)(?: *=.*)?$");
    private static final Pattern XML_NAME = Pattern.compile("<name>(terrace\\.[^<]+)</name>");
    private static final Pattern ELSEWHERE = Pattern.compile("terrace\\.(conf|sh|root|daemon\\.number)");

    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("docs/operations.md")));
        pages.add(ROOT.resolve("docs/placementctl.md"));
        pages.add(ROOT.resolve("docs/monitoring.md"));
        pages.add(ROOT.resolve("docs/doctor.md"));
        pages.add(ROOT.resolve("docs/policy-file.md"));
        try (Stream<Path> guides = Files.list(ROOT.resolve("docs/guides"))) {
            guides.sorted().forEach(pages::add);
        }
        return pages;
    }

    /** Words of {@code placementctl} on the page, each once per place. */
    private static List<String> commands(Path page) throws IOException {
        List<String> commands = new ArrayList<>();
        for (String code : code(page)) {
            // A line goes up to a comment, or to the shell's next word.
            String line = code.strip().replaceAll(" +#.*| *(&&|\\|\\||[|;>]).*", "");
            Matcher command = COMMAND.matcher(line);
            if (command.matches() && !command.group(1).startsWith("COMMAND")) {
                commands.add(command.group(1));
            }
        }
        return commands;
    }

    /** Each span of code, and each line of a block of code. */
    private static List<String> code(Path page) throws IOException {
        String text = Files.readString(page);
        List<String> code = new ArrayList<>();
        Matcher fences = FENCE.matcher(text);
        while (fences.find()) {
            code.addAll(fences.group(2).lines().toList());
        }
        Matcher spans = SPAN.matcher(fences.replaceAll(""));
        while (spans.find()) {
            code.add(spans.group(1));
        }
        return code;
    }

    /** Why the command line is wrong. A sentence may name a command without its arguments. */
    private static String refusal(String words) {
        List<String> arguments =
                new ArrayList<>(Arrays.asList(words.replaceAll("[\\[\\]…]", "").split(" +")));
        arguments.removeIf(String::isEmpty);
        try {
            PlacementCtl.commandLine().parseArgs(arguments.toArray(String[]::new));
            return "";
        } catch (MissingParameterException named) {
            return "";
        } catch (ParameterException e) {
            return words + ": " + e.getMessage();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void commands_ofPages_areThere(Path page) throws IOException {
        assertThat(commands(page).stream().map(DocumentedUseTest::refusal).filter(refusal -> !refusal.isEmpty()))
                .as(page.toString())
                .isEmpty();
    }

    @Test
    void commands_areFound_andWrongOnesRefused() throws IOException {
        assertThat(commands(ROOT.resolve("docs/operations.md"))).contains("policy check new.yaml", "doctor");
        assertThat(refusal("pin FILE")).isEmpty();
        assertThat(refusal("pin --forever FILE")).contains("Unknown option");
        assertThat(refusal("pins FILE")).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void settings_ofPages_areThere(Path page) throws IOException {
        List<String> known =
                TerraceSettings.all().stream().map(setting -> setting.key()).toList();
        List<String> unknown = new ArrayList<>();
        for (String code : code(page)) {
            for (Pattern pattern : List.of(SETTING, XML_NAME)) {
                Matcher setting = pattern.matcher(code.strip());
                if (setting.find()
                        && !known.contains(setting.group(1))
                        && !ELSEWHERE.matcher(setting.group(1)).matches()) {
                    unknown.add(setting.group(1));
                }
            }
        }
        assertThat(unknown).as(page.toString()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void policies_ofPages_areValid(Path page) throws IOException, PolicyFileException {
        Matcher fences = FENCE.matcher(Files.readString(page));
        while (fences.find()) {
            if (fences.group(1).equals("yaml") && fences.group(2).contains("policy:")) {
                PolicyFile.read(page.getFileName().toString(), fences.group(2));
            }
        }
    }
}
