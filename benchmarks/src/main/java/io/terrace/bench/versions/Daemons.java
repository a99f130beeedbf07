package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.JavaHome;
import io.terrace.bench.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.List;

/**
 * Which Hadoop, JDK and jars of Terrace the daemons of a cluster run with.
 *
 * @param java the JDK of all
 * @param namenode Hadoop of the NameNode
 * @param datanode Hadoop of the DataNode
 * @param terrace the jars to add
 */
record Daemons(JavaHome java, HadoopJars namenode, HadoopJars datanode, List<Path> terrace)
        implements LocalCluster.Launcher {

    Daemons {
        terrace = List.copyOf(terrace);
    }

    static Daemons of(JavaHome java, HadoopJars namenode, HadoopJars datanode) {
        return new Daemons(
                java, namenode, datanode, ClassPath.ofThisProcess().plugins().entries());
    }

    /** For figures and directories, such as {@code jdk17.3.4.3-3.5.0}: NameNode, then DataNode where it differs. */
    String name() {
        String same = "jdk" + java.feature() + "." + namenode.version();
        return namenode.equals(datanode) ? same : same + "-" + datanode.version();
    }

    @Override
    public List<String> words(String daemon) {
        return List.of();
    }

    @Override
    public JavaHome java(String daemon) {
        return java;
    }

    @Override
    public ClassPath classPath(String daemon, ClassPath own) {
        return (daemon.equals(ClusterLayout.namenode()) ? namenode : datanode).daemon(terrace);
    }
}
