package io.terrace.compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Whether Terrace can run in this daemon. Looks at the JVM, Terrace's own jars, the release of Hadoop, and whether all that Terrace names of
 * Hadoop is there, before any class of Terrace is loaded that needs them. Looks once and says once, at ERROR, why not.
 * Thread-safe.
 */
public final class HadoopFit {
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");
    private static final String DATASET = "org/apache/hadoop/hdfs/server/datanode/fsdataset/impl/FsDatasetImpl";
    private static final int LISTED = 5;

    private static final HadoopFit DATANODE = new HadoopFit(
            "DataNode",
            Arrays.asList(
                    "io.terrace.datanode.hdfs.PluginStarter",
                    "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDataset"));
    private static final HadoopFit NAMENODE =
            new HadoopFit("NameNode", Arrays.asList("io.terrace.placement.hdfs.PlacementStarter"));

    private final String daemon;
    private final List<String> roots;
    private @Nullable Boolean fits;

    private HadoopFit(String daemon, List<String> roots) {
        this.daemon = daemon;
        this.roots = roots;
    }

    /** Of a DataNode. */
    public static HadoopFit ofDataNode() {
        return DATANODE;
    }

    /** Of a NameNode. */
    public static HadoopFit ofNameNode() {
        return NAMENODE;
    }

    /** Whether it does; where it does not, the first call logs why and what to do. */
    public synchronized boolean fits(Logger log) {
        if (fits == null) {
            String why = problem();
            if (why != null) {
                log.error("Terrace is off, the {} is stock: {}", daemon, why);
            }
            fits = why == null;
        }
        return fits;
    }

    private @Nullable String problem() {
        try {
            ClassLoader loader = HadoopFit.class.getClassLoader();
            Linkage linkage = new Linkage(loader);
            String jvm = JvmFit.problem(linkage.find(roots.get(0).replace('.', '/')));
            if (jvm != null) {
                return jvm;
            }
            String mixed = Release.conflict(loader, classes());
            if (mixed != null) {
                return mixed;
            }
            String version = versionProblem(VersionInfo.getVersion());
            if (version != null) {
                return version;
            }
            Collection<String> missing = linkage.unresolved(roots);
            if (!missing.isEmpty()) {
                return "Hadoop " + VersionInfo.getVersion() + " and Terrace's jars do not fit, " + some(missing)
                        + " is missing: use the jars of one release of Terrace and of a supported Hadoop";
            }
            return daemon.equals("DataNode") ? datasetProblem(linkage) : null;
        } catch (IOException | RuntimeException e) {
            return "its classes cannot be read, check Terrace's jars: " + e;
        }
    }

    /** What every jar with Terrace's servers has a copy of. */
    private List<String> classes() {
        List<String> classes = new ArrayList<>(roots);
        classes.add(HadoopFit.class.getName());
        return classes;
    }

    /**
     * Why servers of a release of Hadoop are not supported; null when they are.
     *
     * @param version as {@code hadoop version} prints it
     */
    public static @Nullable String versionProblem(String version) {
        Matcher parts = RELEASE.matcher(version);
        boolean known = parts.matches() && parts.group(1).equals("3");
        if (known
                && (parts.group(2).equals("5")
                        || (parts.group(2).equals("4") && !parts.group(3).equals("0")))) {
            return null;
        }
        return "Hadoop " + version + " is not supported: use 3.4.1 or a later 3.4, or 3.5,"
                + " or remove Terrace from the configuration";
    }

    /** A method that Terrace does not know may change replicas behind its back. */
    private static @Nullable String datasetProblem(Linkage linkage) throws IOException {
        ClassFile dataset = linkage.find(DATASET);
        if (dataset == null) {
            return DATASET + " is missing";
        }
        Set<String> unknown = new TreeSet<>(dataset.overridable());
        unknown.removeAll(new HashSet<>(KnownDataset.METHODS));
        return unknown.isEmpty()
                ? null
                : "Hadoop " + VersionInfo.getVersion() + "'s dataset has methods that Terrace does not know, "
                        + some(unknown) + ": use a supported Hadoop";
    }

    private static String some(Collection<String> all) {
        List<String> first = new ArrayList<>(all).subList(0, Math.min(LISTED, all.size()));
        String more = all.size() > LISTED ? " and " + (all.size() - LISTED) + " more" : "";
        return String.join(", ", first) + more;
    }
}
