package io.terrace.bench.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A page of the documentation whose commands are run: its blocks that begin with {@code ```sh}. */
final class GuidePage {
    private static final String BEGIN = "```sh";
    private static final String END = "```";

    private GuidePage() {}

    /** All its commands, in their order, as one script. */
    static String script(Path page) throws IOException {
        String script = blocks(Files.readAllLines(page)).stream().collect(Collectors.joining("\n"));
        if (script.isEmpty()) {
            throw new IOException(page + " has no block that begins with " + BEGIN);
        }
        return script;
    }

    static List<String> blocks(List<String> lines) {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        boolean inside = false;
        for (String line : lines) {
            if (inside && line.equals(END)) {
                blocks.add(block.toString());
                block.setLength(0);
                inside = false;
            } else if (inside) {
                block.append(line).append('\n');
            } else {
                inside = line.equals(BEGIN);
            }
        }
        return blocks;
    }
}
