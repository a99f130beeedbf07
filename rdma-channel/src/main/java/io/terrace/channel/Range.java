package io.terrace.channel;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Bytes that can be registered: an extent file, whole, and its place in the owner's region.
 *
 * @param file exactly {@code lengthBytes} long
 */
public record Range(Path file, long address, long lengthBytes) {
    public Range {
        Objects.requireNonNull(file, "file");
    }
}
