package io.terrace.bench.conformance;

import io.terrace.bench.conformance.datanode.ConformanceTier;
import io.terrace.bench.conformance.jars.ContentHash;
import io.terrace.bench.conformance.jars.HadoopTestJars;
import io.terrace.bench.conformance.jars.OlderLibhadoop;
import io.terrace.bench.conformance.jars.PluginJars;
import io.terrace.bench.conformance.jars.Snapshot;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestJvm;
import io.terrace.datanode.hdfs.dataset.TierExtension;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the test JVMs of a run share: class paths, site files and the store of results.
 *
 * @param store where results are kept
 * @param stockClassPath site file, our launcher, Hadoop's jars
 * @param terraceClassPath the same with our site file, and our jars behind Hadoop's
 * @param nativeLibraries a copy of the directory with libhadoop, where there is one
 */
record TestBed(ResultStore store, String stockClassPath, String terraceClassPath, @Nullable Path nativeLibraries) {
    /** Files that both sides have beside their site files. */
    private static final List<String> SHARED = List.of("core-site.xml", "log4j.properties", "contract/hdfs.xml");

    String classPath(Side side) {
        return side == Side.STOCK ? stockClassPath : terraceClassPath;
    }

    /**
     * Resolves Hadoop's jars, copies ours and the launcher, and writes the site files.
     *
     * @param directory of the run, absolute
     * @param hadoopTestJars where Hadoop's jars come from
     * @param ownClassPath class path of the runner, in which our jars are found
     * @param provider how clients read with Terrace
     * @param properties further properties of Terrace's side
     * @param nativeLibraries a directory with libhadoop, where there is one; without it tests skip themselves, so it
     *     belongs to what a result depends on
     * @param jvmArguments of the test JVMs, which results depend on
     * @param exclusions tests that are not compared
     * @param diskOnly classes of which nothing is copied to memory
     * @param timeLimit of one class
     * @param earlierBuilds whether what passed with an earlier build of Terrace counts
     */
    static TestBed prepare(
            Path directory,
            HadoopTestJars hadoopTestJars,
            List<Path> ownClassPath,
            Provider provider,
            Map<String, String> properties,
            @Nullable Path nativeLibraries,
            List<String> jvmArguments,
            Exclusions exclusions,
            Exclusions diskOnly,
            Duration timeLimit,
            boolean earlierBuilds)
            throws IOException, InterruptedException {
        List<Path> hadoop = hadoopTestJars.resolve();

        String stockSite = site(Map.of(), "stock-site.xml");
        String terraceSite = site(new TreeMap<>(properties), "stock-site.xml", "terrace-site.xml");
        ContentHash stockHash =
                new ContentHash().add(Runtime.version().toString()).add(stockSite);
        for (String name : SHARED) {
            stockHash.add(ContentHash.of(HadoopTestJars.resource(name)));
        }
        jvmArguments.forEach(stockHash::add);
        Path copies = Files.createDirectories(directory.resolve("copies"));
        List<Path> front = new ArrayList<>();
        front.add(launcher(copies));
        Path copiedLibraries = null;
        if (nativeLibraries != null) {
            // A build may overwrite the library meanwhile, which would crash a JVM that has it mapped.
            copiedLibraries = Snapshot.keep(copies, target -> Snapshot.copyTree(nativeLibraries, target));
            Path library = copiedLibraries.resolve("libhadoop.so");
            stockHash.add("libhadoop").add(ContentHash.of(Files.readAllBytes(library)));
            if (OlderLibhadoop.isOlder(library, hadoopCommon(hadoop))) {
                front.add(Snapshot.keep(copies, target -> OlderLibhadoop.fit(hadoopCommon(hadoop), target)));
            }
        }
        for (Path classes : front.subList(1, front.size())) {
            stockHash.add(classes);
        }
        for (Path jar : hadoop) {
            stockHash.add(jar.getFileName().toString());
            if (jar.getFileName().toString().startsWith("hadoop-")) {
                stockHash.add(jar);
            }
        }
        String stockKey = stockHash.hex();

        Path plugin = Snapshot.keep(copies, target -> {
            PluginJars.copy(ownClassPath, hadoop, target);
            tierExtension(target.resolve("conformance"));
        });
        ContentHash conditions = new ContentHash().add(stockKey).add(terraceSite);
        TestProcess.siteProperties(true).forEach((name, value) -> conditions.add(name + "=" + value));
        ResultKeys keys = new ResultKeys(
                stockKey,
                provider,
                conditions.hex(),
                new ContentHash().add(plugin).hex());
        List<Path> stock = new ArrayList<>();
        stock.add(Snapshot.keep(copies, target -> conf(target, stockSite)));
        stock.addAll(front);
        stock.addAll(hadoop);
        List<Path> terrace = new ArrayList<>();
        terrace.add(Snapshot.keep(copies, target -> conf(target, terraceSite)));
        terrace.addAll(front);
        terrace.addAll(hadoop);
        try (Stream<Path> jars = Files.list(plugin)) {
            jars.sorted().forEach(terrace::add);
        }
        return new TestBed(
                new ResultStore(directory, keys, exclusions, diskOnly, timeLimit, earlierBuilds),
                joined(stock),
                joined(terrace),
                copiedLibraries);
    }

    private static Path hadoopCommon(List<Path> jars) throws IOException {
        for (Path jar : jars) {
            if (PluginJars.artifact(jar).equals("hadoop-common")) {
                return jar;
            }
        }
        throw new IOException("hadoop-common is not among the jars that Maven resolved");
    }

    /** One site file made of the properties of several resources and further ones. */
    private static String site(Map<String, String> properties, String... resources) throws IOException {
        StringBuilder site = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
        for (String resource : resources) {
            String text = new String(HadoopTestJars.resource(resource), StandardCharsets.UTF_8);
            int from = text.indexOf("<configuration>") + "<configuration>".length();
            site.append(text, from, text.indexOf("</configuration>")).append('\n');
        }
        properties.forEach((key, value) -> site.append("  <property><name>")
                .append(escape(key))
                .append("</name><value>")
                .append(escape(value))
                .append("</value></property>\n"));
        return site.append("</configuration>\n").toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Writes the site files of one side. They are copies, so another run never overwrites what a test JVM reads. */
    private static void conf(Path directory, String site) throws IOException {
        for (String name : SHARED) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, HadoopTestJars.resource(name));
        }
        Files.writeString(directory.resolve("hdfs-site.xml"), site);
    }

    /** Copies the launcher's package, the only classes of this module in a stock test JVM. */
    private static Path launcher(Path copies) throws IOException {
        return Snapshot.keep(
                copies, target -> Snapshot.copyPackage(ownClasses(), TestJvm.class.getPackageName(), target));
    }

    /** Copies the extension of the memory tier, as {@link java.util.ServiceLoader} finds it. */
    static void tierExtension(Path target) throws IOException {
        Snapshot.copyPackage(ownClasses(), ConformanceTier.class.getPackageName(), target);
        Path services = Files.createDirectories(target.resolve("META-INF/services"));
        Files.writeString(services.resolve(TierExtension.class.getName()), ConformanceTier.class.getName() + "\n");
    }

    /** This module's jar or directory of classes. */
    private static Path ownClasses() throws IOException {
        try {
            return Path.of(TestJvm.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IOException("the runner's own classes cannot be found", e);
        }
    }

    private static String joined(List<Path> entries) {
        return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
