package io.terrace.bench.conformance.jars;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A short hash of jars, class directories and bytes by what they contain: file names and contents, not time stamps. A jar
 * that was built again from the same classes has the same hash.
 */
public final class ContentHash {
    private static final int HEX_DIGITS = 12;

    private final MessageDigest digest;

    public ContentHash() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    public static String of(byte[] bytes) {
        ContentHash hash = new ContentHash();
        hash.digest.update(bytes);
        return hash.hex();
    }

    public ContentHash add(String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        return this;
    }

    /** Adds a jar (by the names and checksums of its entries) or a directory of files. */
    public ContentHash add(Path jarOrDirectory) throws IOException {
        List<String> parts = new ArrayList<>();
        if (Files.isDirectory(jarOrDirectory)) {
            try (Stream<Path> files = Files.walk(jarOrDirectory)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String content = file.toString().endsWith(".jar")
                            ? new ContentHash().add(file).hex()
                            : of(Files.readAllBytes(file));
                    parts.add(jarOrDirectory.relativize(file) + " " + content);
                }
            }
        } else {
            try (ZipFile zip = new ZipFile(jarOrDirectory.toFile())) {
                for (ZipEntry entry : Collections.list(zip.entries())) {
                    // This file has the time of the build.
                    if (!entry.isDirectory() && !entry.getName().endsWith("pom.properties")) {
                        parts.add(entry.getName() + " " + entry.getCrc() + " " + entry.getSize());
                    }
                }
            }
        }
        Collections.sort(parts);
        parts.forEach(this::add);
        return this;
    }

    public String hex() {
        return HexFormat.of().formatHex(digest.digest()).substring(0, HEX_DIGITS);
    }
}
