package io.terrace.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A line of {@code /proc/self/mounts} or {@code /etc/fstab}, or what a mount unit of systemd says. */
record MountEntry(String source, Path directory, String type, List<String> options) {

    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    /** In the order of the file; comments and what is no mount of a directory are left out. */
    static List<MountEntry> parse(List<String> lines) {
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length >= 4 && !words[0].startsWith("#") && words[1].startsWith("/"))
                .map(words ->
                        new MountEntry(words[0], Path.of(unescaped(words[1])), words[2], List.of(words[3].split(","))))
                .toList();
    }

    /** What a mount unit of systemd makes; of a setting that is given twice the last holds. */
    static MountEntry ofUnit(Path directory, String unit) {
        String source = "";
        String type = "";
        String options = "";
        for (String line : unit.replace("\\\n", " ").lines().map(String::strip).toList()) {
            int equals = line.indexOf('=');
            String key = equals < 0 ? "" : line.substring(0, equals).strip();
            if (key.equals("What")) {
                source = line.substring(equals + 1).strip();
            } else if (key.equals("Type")) {
                type = line.substring(equals + 1).strip();
            } else if (key.equals("Options")) {
                options = line.substring(equals + 1).strip();
            }
        }
        return new MountEntry(source, directory, type, List.of(options.split("\\s*,\\s*")));
    }

    /** A blank in a path stands there as {@code \040}. */
    private static String unescaped(String path) {
        return OCTAL.matcher(path).replaceAll(found -> {
            char letter = (char) Integer.parseInt(found.group(1), 8);
            return Matcher.quoteReplacement(String.valueOf(letter));
        });
    }

    /** As a path stands in such a line. */
    static String escaped(Path path) {
        return path.toString().replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011");
    }

    /** The mount that has this path: the deepest, and of several on one directory the last. */
    static Optional<MountEntry> holding(List<MountEntry> mounts, Path path) {
        return mounts.stream()
                .filter(mount -> path.startsWith(mount.directory))
                .reduce((one, next) -> next.directory.getNameCount() >= one.directory.getNameCount() ? next : one);
    }

    boolean has(String option) {
        return options.contains(option);
    }

    /** What stands behind {@code name=}. */
    @Nullable
    String value(String name) {
        return options.stream()
                .filter(option -> option.startsWith(name + "="))
                .map(option -> option.substring(name.length() + 1))
                .findFirst()
                .orElse(null);
    }
}
