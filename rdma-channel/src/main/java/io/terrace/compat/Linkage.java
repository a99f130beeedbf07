package io.terrace.compat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether all that Terrace's classes name of Hadoop is there: classes, fields and methods. Reads class files, and loads no
 * class. Used by one thread.
 */
public final class Linkage {
    private static final String HADOOP = "org/apache/hadoop/";
    private static final String OWN = "io/terrace/";
    /** Other libraries, where a release has moved them. */
    private static final String SHADED = "io/terrace/shaded/";

    /** What some release lacks and Terrace uses only where it is there. */
    private static final Set<String> BRIDGED = new HashSet<>(Arrays.asList(
            // TerraceDataset overrides these methods of 3.5, and nothing in 3.4 calls the overrides.
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl.invalidateMissingBlock"
                    + "(Ljava/lang/String;Lorg/apache/hadoop/hdfs/protocol/Block;Z)V",
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl.createRbw"
                    + "(Lorg/apache/hadoop/fs/StorageType;Ljava/lang/String;Lorg/apache/hadoop/hdfs/protocol/ExtendedBlock;ZJ)"
                    + "Lorg/apache/hadoop/hdfs/server/datanode/ReplicaHandler;",
            // WriteSetup leaves files to stock HDFS where the streamer has no such method.
            "org.apache.hadoop.hdfs.DataStreamer.work()V"));

    /** Terrace's classes in Hadoop's packages whose names do not begin with Terrace. */
    private static final Set<String> BRIDGES = new HashSet<>(Arrays.asList(
            "org/apache/hadoop/hdfs/AckWait",
            "org/apache/hadoop/hdfs/ExcludableNodes",
            "org/apache/hadoop/hdfs/LeftToStockException",
            "org/apache/hadoop/hdfs/NextBlock",
            "org/apache/hadoop/hdfs/OpenRequest",
            "org/apache/hadoop/hdfs/PipelineFaults",
            "org/apache/hadoop/hdfs/RestartingNodes",
            "org/apache/hadoop/hdfs/StockConnection",
            "org/apache/hadoop/hdfs/StockEndedBlock",
            "org/apache/hadoop/hdfs/StreamCreation",
            "org/apache/hadoop/hdfs/StreamerStage"));

    private final ClassLoader loader;
    private final Map<String, @Nullable ClassFile> known = new HashMap<>();

    /** @param loader what finds both Terrace's and Hadoop's classes */
    public Linkage(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * What is named and not there, by the classes given and all of Terrace's that they name.
     *
     * @param roots names of classes of Terrace
     * @return each thing missing, in the order of their names
     */
    public Collection<String> unresolved(Collection<String> roots) throws IOException {
        Set<String> missing = new TreeSet<>();
        Set<String> seen = new HashSet<>();
        Deque<String> left = new ArrayDeque<>();
        for (String root : roots) {
            left.add(root.replace('.', '/'));
        }
        while (!left.isEmpty()) {
            String name = left.remove();
            if (!seen.add(name)) {
                continue;
            }
            ClassFile file = find(name);
            if (file == null) {
                missing.add(name.replace('/', '.'));
                continue;
            }
            for (String named : file.classes) {
                if (isOwn(named)) {
                    left.add(named);
                } else if (named.startsWith(HADOOP)) {
                    checkClass(file, named, missing);
                }
            }
            for (ClassFile.Member member : file.references) {
                checkMember(file, member, missing);
            }
            checkOverrides(file, missing);
        }
        missing.removeAll(BRIDGED);
        return missing;
    }

    /** @param name of a class, with slashes */
    public static boolean isOwn(String name) {
        if (name.startsWith(OWN)) {
            return !name.startsWith(SHADED);
        }
        String simple = name.substring(name.lastIndexOf('/') + 1);
        int inner = name.indexOf('$');
        return name.startsWith(HADOOP)
                && (simple.startsWith("Terrace") || BRIDGES.contains(inner < 0 ? name : name.substring(0, inner)));
    }

    private void checkClass(ClassFile from, String named, Set<String> missing) throws IOException {
        ClassFile found = find(named);
        if (found == null || !(Modifier.isPublic(found.access) || samePackage(from.name, named))) {
            missing.add(named.replace('/', '.'));
        }
    }

    private void checkMember(ClassFile from, ClassFile.Member member, Set<String> missing) throws IOException {
        if (member.owner.startsWith("[") || !(member.owner.startsWith(HADOOP) || isOwn(member.owner))) {
            return;
        }
        ClassFile owner = find(member.owner);
        if (owner == null) {
            return; // Said of the class.
        }
        Declaration found = declaration(owner, member.signature, new HashSet<String>());
        if (found == null || !found.isAccessibleTo(from.name)) {
            missing.add(member.toString());
        }
    }

    /** A method of Hadoop's that has become final cannot be overridden: the class would not load. */
    private void checkOverrides(ClassFile file, Set<String> missing) throws IOException {
        ClassFile above = file.superName == null ? null : find(file.superName);
        if (above == null || !above.name.startsWith(HADOOP)) {
            return;
        }
        if (Modifier.isFinal(above.access)) {
            missing.add(above.name.replace('/', '.') + " (final)");
        }
        for (Map.Entry<String, Integer> method : file.members.entrySet()) {
            if (method.getKey().indexOf('(') < 0
                    || method.getKey().startsWith("<")
                    || (method.getValue() & (Modifier.STATIC | Modifier.PRIVATE)) != 0) {
                continue;
            }
            Declaration overridden = declaration(above, method.getKey(), new HashSet<String>());
            if (overridden != null && Modifier.isFinal(overridden.access) && overridden.isAccessibleTo(file.name)) {
                missing.add(overridden.owner.replace('/', '.') + "." + method.getKey() + " (final)");
            }
        }
    }

    /** Where a member is declared, and with which flags; unknown where a class above is of nobody's here. */
    private static final class Declaration {
        final String owner;
        final int access;

        Declaration(String owner, int access) {
            this.owner = owner;
            this.access = access;
        }

        boolean isAccessibleTo(String from) {
            if (Modifier.isPrivate(access)) {
                return nest(owner).equals(nest(from));
            }
            return (access & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 || samePackage(owner, from);
        }

        private static String nest(String name) {
            int inner = name.indexOf('$');
            return inner < 0 ? name : name.substring(0, inner);
        }
    }

    private @Nullable Declaration declaration(ClassFile in, String signature, Set<String> seen) throws IOException {
        Integer access = in.members.get(signature);
        if (access != null) {
            return new Declaration(in.name, access);
        }
        List<String> above = new ArrayList<>();
        if (in.superName != null) {
            above.add(in.superName);
        }
        above.addAll(in.interfaces);
        for (String name : above) {
            if (!seen.add(name)) {
                continue;
            }
            ClassFile next = find(name);
            Declaration found = next == null
                    ? new Declaration(name, Modifier.PUBLIC) // A library that is not here: nobody can tell.
                    : declaration(next, signature, seen);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Null when there is none. */
    @Nullable
    ClassFile find(String name) throws IOException {
        if (known.containsKey(name)) {
            return known.get(name);
        }
        ClassFile file = null;
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            if (in != null) {
                file = new ClassFile(new BufferedInputStream(in));
            }
        }
        known.put(name, file);
        return file;
    }

    private static boolean samePackage(String a, String b) {
        return a.substring(0, a.lastIndexOf('/')).equals(b.substring(0, b.lastIndexOf('/')));
    }
}
