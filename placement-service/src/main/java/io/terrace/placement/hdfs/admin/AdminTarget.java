package io.terrace.placement.hdfs.admin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an operator named: a path, or a block as {@code blk_<id>}, {@code blk_<id>_<stamp>} or its number.
 *
 * @param path null when it is a block
 */
record AdminTarget(@Nullable String path, long blockId) {

    private static final Pattern BLOCK = Pattern.compile("(?:blk_)?(-?\\d{1,19})(?:_\\d{1,19})?(?:\\.meta)?");

    /**
     * Doubled slashes and one at the end count as in Hadoop's commands.
     *
     * @throws IllegalArgumentException saying what is allowed
     */
    static AdminTarget parse(String text) {
        if (text.startsWith("/")) {
            String path = text.replaceAll("/+", "/");
            return new AdminTarget(
                    path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path, -1);
        }
        Matcher block = BLOCK.matcher(text);
        if (block.matches()) {
            try {
                return new AdminTarget(null, Long.parseLong(block.group(1)));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("there is no block " + text, e);
            }
        }
        throw new IllegalArgumentException("'" + text + "' is neither an absolute path nor a block (blk_<id>)");
    }
}
