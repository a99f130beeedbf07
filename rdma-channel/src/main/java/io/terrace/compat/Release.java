package io.terrace.compat;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/** The release of Terrace that a class is of, as the manifest of its jar has it. Immutable. */
public final class Release {
    private static final Attributes.Name COMMIT = new Attributes.Name("Implementation-Commit");

    private final String jar;
    private final @Nullable String version;
    private final @Nullable String commit;

    private Release(String jar, @Nullable String version, @Nullable String commit) {
        this.jar = jar;
        this.version = version;
        this.commit = commit;
    }

    /** Of the jar that a class was loaded from. */
    public static Release of(Class<?> type) {
        URL file = type.getResource("/" + resource(type.getName()));
        try {
            return file == null ? new Release("nowhere", null, null) : at(file);
        } catch (IOException e) {
            return new Release(String.valueOf(file), null, null);
        }
    }

    /** Version and commit, such as {@code 1.2.0 (80a2e76731af)}. */
    @Override
    public String toString() {
        return (version == null ? "(not from a jar)" : version) + (commit == null ? "" : " (" + commit + ")");
    }

    /**
     * What to say where there are classes of different releases: two copies of a class of which one is hidden, or classes
     * of two versions. Null where there are not. Classes that are in no jar are of any release.
     *
     * @param names of classes of Terrace
     */
    static @Nullable String conflict(ClassLoader loader, Collection<String> names) throws IOException {
        Release first = null;
        for (String name : names) {
            Release copy = null;
            for (URL file : Collections.list(loader.getResources(resource(name)))) {
                Release next = at(file);
                if (next.version == null) {
                    continue;
                }
                if (copy != null && !next.sameAs(copy)) {
                    return conflict(copy, next);
                }
                copy = next;
                if (first != null && !next.version.equals(first.version)) {
                    return conflict(first, next);
                }
                first = first == null ? next : first;
            }
        }
        return null;
    }

    private static String conflict(Release a, Release b) {
        return "the class path has jars of two releases of Terrace, " + a + " in " + a.jar + " and " + b + " in "
                + b.jar + ": leave one of them";
    }

    private boolean sameAs(Release other) {
        return Objects.equals(version, other.version) && Objects.equals(commit, other.commit);
    }

    private static String resource(String className) {
        return className.replace('.', '/') + ".class";
    }

    private static Release at(URL classFile) throws IOException {
        if (!classFile.getProtocol().equals("jar")) {
            return new Release(classFile.getPath(), null, null);
        }
        JarURLConnection connection = (JarURLConnection) classFile.openConnection();
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            Manifest manifest = jar.getManifest();
            Attributes main = manifest == null ? new Attributes() : manifest.getMainAttributes();
            return new Release(
                    jar.getName(), main.getValue(Attributes.Name.IMPLEMENTATION_VERSION), main.getValue(COMMIT));
        }
    }
}
