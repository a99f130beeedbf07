package io.terrace.bench.conformance.launcher;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * A test class outside its jar. Tests of SSL and Kerberos write their settings into the directory that their class was
 * loaded from, where Hadoop's build has it, and find no such directory in a jar.
 */
public final class LooseClass {
    private LooseClass() {}

    /**
     * Copies the class's file from the first jar that has it to its place below a directory, which then goes before the
     * jars on the class path.
     *
     * @param classPath as {@code -cp} takes it
     * @return whether a jar has it
     */
    public static boolean copy(String className, String classPath, Path directory) throws IOException {
        String name = className.replace('.', '/') + ".class";
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (!entry.endsWith(".jar")) {
                continue;
            }
            try (JarFile jar = new JarFile(entry)) {
                ZipEntry file = jar.getEntry(name);
                if (file != null) {
                    Path copy = directory.resolve(name);
                    Files.createDirectories(Objects.requireNonNull(copy.getParent()));
                    try (InputStream bytes = jar.getInputStream(file)) {
                        Files.copy(bytes, copy);
                    }
                    return true;
                }
            }
        }
        return false;
    }
}
