package io.terrace.channel.transport;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Bytes that can be registered: an extent file, whole, and its place in the owner's region.
 *
 * @param file exactly {@code lengthBytes} long
 */
public record ExtentRange(Path file, long address, long lengthBytes) {
    public ExtentRange {
        Objects.requireNonNull(file, "file");
    }
}
