package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/** Terrace's jars as if they had been built for a JDK that does not exist yet. */
final class NewerJars {
    private static final int JAVA_8 = 52;
    private static final byte NEWER = 99;

    /** Of a class file: magic number, minor version, major version. */
    private static final int MAJOR_AT = 7;

    private NewerJars() {}

    /** Writes copies into the directory; classes that are compiled for Java 8 stay as they are. */
    static List<Path> write(Path dir) throws IOException {
        Files.createDirectories(dir);
        List<Path> written = new ArrayList<>();
        for (Path jar : ClassPath.ofThisProcess().plugins().entries()) {
            Path copy = dir.resolve(Objects.requireNonNull(jar.getFileName()));
            if (isTerrace(jar)) {
                copy(jar, copy);
            } else {
                Files.createSymbolicLink(copy, jar);
            }
            written.add(copy);
        }
        return written;
    }

    private static boolean isTerrace(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry("io/terrace/") != null;
        }
    }

    private static void copy(Path jar, Path to) throws IOException {
        try (JarFile in = new JarFile(jar.toFile());
                JarOutputStream out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(to)))) {
            for (Enumeration<JarEntry> entries = in.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                out.putNextEntry(new JarEntry(entry.getName()));
                try (InputStream bytes = in.getInputStream(entry)) {
                    out.write(entry.getName().endsWith(".class") ? newer(bytes.readAllBytes()) : bytes.readAllBytes());
                }
            }
        }
    }

    private static byte[] newer(byte[] classFile) {
        if (classFile[MAJOR_AT] > JAVA_8) {
            classFile[MAJOR_AT] = NEWER;
        }
        return classFile;
    }
}
