package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.site.PropertyReader;
import io.terrace.bench.site.SiteProperties;
import io.terrace.bench.site.SiteProperty;
import io.terrace.bench.site.SiteXml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bin/terrace conf}. */
@Command(
        name = "conf",
        mixinStandardHelpOptions = true,
        description = "Print the properties to add to a Hadoop that is installed already (hdfs-site.xml), as XML.")
final class ConfCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PART",
            arity = "0..*",
            description = "${COMPLETION-CANDIDATES}; without any, one file for all")
    @Nullable
    List<PropertyReader> parts;

    @Option(names = "--complete", description = "every other property too, as comments with their defaults")
    boolean complete;

    @Option(names = "--dir", paramLabel = "D", description = "with the values of the local cluster in this directory")
    @Nullable
    Path dir;

    @Spec
    CommandSpec command;

    @Override
    public Integer call() throws IOException {
        Set<PropertyReader> wanted = parts == null ? EnumSet.allOf(PropertyReader.class) : EnumSet.copyOf(parts);
        List<SiteProperty> properties = complete ? SiteProperties.of(wanted) : SiteProperties.needed(wanted);
        if (dir != null) {
            Configuration conf = LocalCluster.in(dir, ClassPath.ofThisProcess())
                    .orElseThrow(() -> new ClusterException(dir + " holds no cluster"))
                    .conf();
            properties = properties.stream()
                    .map(property -> property.withValue(conf.get(property.key(), property.value())))
                    .toList();
        }
        command.commandLine().getOut().print(SiteXml.text(title(wanted, complete), properties));
        command.commandLine().getOut().flush();
        return 0;
    }

    /** The first comment of a file. */
    static String title(Set<PropertyReader> parts, boolean complete) {
        String readers =
                String.join(", ", parts.stream().map(PropertyReader::title).toList());
        return String.format(
                Locale.ROOT,
                "Terrace: %s properties to add to the hdfs-site.xml of: %s. Terrace's jars must be on the class path of"
                        + " these processes: bin/terrace-classpath prints those of an installation, bin/terrace classpath those"
                        + " of a source tree.",
                complete ? "all" : "the",
                readers);
    }
}
