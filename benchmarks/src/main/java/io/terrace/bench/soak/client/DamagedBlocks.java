package io.terrace.bench.soak.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.TreeSet;

/** Blocks of which only a damaged replica is left, by stock HDFS's doing: a file beside the journals. It is of no use to wait for them. */
public final class DamagedBlocks {
    private static final String NAME = "damaged.blocks";

    private DamagedBlocks() {}

    /** For one process, which judges what others report. */
    public static void add(Path journals, long block) throws IOException {
        Files.write(
                journals.resolve(NAME),
                (block + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** The numbers of those that are known so far. */
    static Set<Long> known(Path journals) throws IOException {
        Set<Long> blocks = new TreeSet<>();
        try {
            String text = Files.readString(journals.resolve(NAME));
            // What stands behind the last end of a line is being written.
            for (String line :
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                blocks.add(Long.parseLong(line));
            }
        } catch (NoSuchFileException none) {
            return Set.of();
        }
        return blocks;
    }
}
