package io.terrace.bench.dist;

import io.terrace.compat.Linkage;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * One jar of the tarball.
 *
 * @param file the jar
 * @param classes names of the classes in it, with slashes
 */
record ReleaseJar(Path file, List<String> classes) {
    private static final String SHADED = "io/terrace/shaded/";
    private static final String SUFFIX = ".class";

    ReleaseJar {
        classes = List.copyOf(classes);
    }

    /** @param directory with one jar */
    static ReleaseJar in(Path directory) throws IOException {
        List<Path> jars;
        try (var files = Files.list(directory)) {
            jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
        if (jars.size() != 1) {
            throw new IOException(directory + " has " + jars.size() + " jars, not one");
        }
        List<String> classes = new ArrayList<>();
        try (JarFile jar = new JarFile(jars.get(0).toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                String name = entries.nextElement().getName();
                if (name.endsWith(SUFFIX)) {
                    classes.add(name.substring(0, name.length() - SUFFIX.length()));
                }
            }
        }
        return new ReleaseJar(jars.get(0), classes);
    }

    long bytes() throws IOException {
        return Files.size(file);
    }

    /** Classes of other projects that have not moved to io.terrace.shaded. */
    List<String> foreign() {
        return classes.stream()
                .filter(name -> !name.startsWith(SHADED) && !Linkage.isOwn(name))
                .toList();
    }

    /** What its classes name of Terrace or Hadoop and is neither here nor in those other jars. */
    Collection<String> unresolved(Collection<Path> others) throws IOException {
        List<URL> urls = new ArrayList<>();
        urls.add(url(file));
        for (Path other : others) {
            urls.add(url(other));
        }
        List<String> own = classes.stream()
                .filter(Linkage::isOwn)
                .map(name -> name.replace('/', '.'))
                .toList();
        try (URLClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return new Linkage(loader).unresolved(own);
        }
    }

    /** Writes a copy that says it is of another version. */
    void copyAs(String version, Path to) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = new Manifest(jar.getManifest());
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
            try (JarOutputStream out =
                    new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(to)), manifest)) {
                for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                    JarEntry entry = entries.nextElement();
                    if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        out.putNextEntry(new JarEntry(entry.getName()));
                        try (var in = jar.getInputStream(entry)) {
                            in.transferTo(out);
                        }
                    }
                }
            }
        }
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }
}
