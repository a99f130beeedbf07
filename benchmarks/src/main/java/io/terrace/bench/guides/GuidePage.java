package io.terrace.bench.guides;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * A page of the documentation, as one who follows it reads it: its blocks of code. A block whose line before ends with a file's
 * name and a colon is for that file. Other blocks that begin with {@code ```sh} are commands.
 */
public final class GuidePage {
    private static final Pattern FENCE = Pattern.compile("( *)```(\\w+)");
    private static final Pattern FILE = Pattern.compile("`([\\w-]+\\.(?:xml|conf|yaml|sh))`:$");
    private static final Pattern JOB_OPTION = Pattern.compile("`-D ([\\w.]+=[\\w.]+)`");

    private final Path page;
    private final String text;
    private final List<Block> blocks;

    /**
     * @param language after the fence
     * @param file that the text is for, or empty
     */
    record Block(String language, String file, String text) {}

    private GuidePage(Path page, String text) {
        this.page = page;
        this.text = text;
        this.blocks = blocks(text.lines().toList());
    }

    public static GuidePage read(Path page) throws IOException {
        return new GuidePage(page, Files.readString(page));
    }

    /** All its commands, in their order, as one script. */
    public String script() throws IOException {
        return String.join("\n", scripts());
    }

    /** Its commands, block by block. */
    public List<String> scripts() throws IOException {
        List<String> scripts = blocks.stream()
                .filter(block -> block.file().isEmpty() && block.language().equals("sh"))
                .map(Block::text)
                .toList();
        return some(scripts, "commands: blocks that begin with ```sh");
    }

    /** What it has for a file, a text for each block. */
    List<String> contents(String file) throws IOException {
        List<String> contents = blocks.stream()
                .filter(block -> block.file().equals(file))
                .map(Block::text)
                .toList();
        return some(contents, "block for " + file);
    }

    /** Hadoop's properties that it has for a file. */
    Map<String, String> properties(String file) throws IOException {
        String xml = contents(file).stream().collect(Collectors.joining("", "<configuration>", "</configuration>"));
        Map<String, String> properties = new LinkedHashMap<>();
        try {
            NodeList elements = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)))
                    .getElementsByTagName("property");
            for (int i = 0; i < elements.getLength(); i++) {
                Element property = (Element) elements.item(i);
                properties.put(word(property, "name"), word(property, "value"));
            }
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(page + ": what it has for " + file + " is no XML", e);
        }
        return properties;
    }

    /** The properties that it sets for one job by {@code -D}. */
    List<String> jobOptions() throws IOException {
        List<String> options =
                JOB_OPTION.matcher(text).results().map(found -> found.group(1)).toList();
        return some(options, "option -D");
    }

    private List<String> some(List<String> found, String what) throws IOException {
        if (found.isEmpty()) {
            throw new IOException(page + " has no " + what);
        }
        return found;
    }

    private static String word(Element property, String tag) {
        return property.getElementsByTagName(tag).item(0).getTextContent().strip();
    }

    static List<Block> blocks(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        String indent = "";
        String language = "";
        String before = "";
        for (String line : lines) {
            Matcher fence = FENCE.matcher(line);
            if (!language.isEmpty() && line.equals(indent + "```")) {
                Matcher file = FILE.matcher(before);
                blocks.add(new Block(language, file.find() ? file.group(1) : "", text.toString()));
                text.setLength(0);
                language = "";
                before = "";
            } else if (!language.isEmpty()) {
                text.append(line.startsWith(indent) ? line.substring(indent.length()) : line)
                        .append('\n');
            } else if (fence.matches()) {
                indent = fence.group(1);
                language = fence.group(2);
            } else if (!line.isBlank()) {
                before = line;
            }
        }
        return blocks;
    }
}
