package io.terrace.placementctl;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * Where clients of this host find their classes. In an installation this command has jars that clients lack, so {@code
 * bin/launch.sh} says in a system property what {@code hadoop classpath} printed.
 */
final class HadoopClassPath {
    private static final String PROPERTY = "terrace.hadoop.classpath";

    private final Configuration conf;
    private final @Nullable String text;

    /**
     * @param conf whose class loader counts where there is no text
     * @param text entries with colons between them; {@code DIR/*} is all jars of a directory
     */
    HadoopClassPath(Configuration conf, @Nullable String text) {
        this.conf = conf;
        this.text = text;
    }

    static HadoopClassPath ofThisHost(Configuration conf) {
        return new HadoopClassPath(conf, System.getProperty(PROPERTY));
    }

    boolean has(String className) {
        if (text == null) {
            return conf.getClassByNameOrNull(className) != null;
        }
        try (URLClassLoader loader = new URLClassLoader(urls(text), null)) {
            return loader.findResource(className.replace('.', '/') + ".class") != null;
        } catch (IOException e) {
            return false;
        }
    }

    /** Words for the reader of a finding. */
    String name() {
        return text == null ? "this command's class path" : "the class path of this host's Hadoop (hadoop classpath)";
    }

    private static URL[] urls(String text) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : text.split(File.pathSeparator)) {
            if (entry.endsWith("/*")) {
                File[] jars = new File(entry.substring(0, entry.length() - 2))
                        .listFiles((dir, name) -> name.endsWith(".jar") || name.endsWith(".JAR"));
                for (File jar : jars == null ? new File[0] : jars) {
                    urls.add(jar.toURI().toURL());
                }
            } else if (!entry.isEmpty()) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }
}
