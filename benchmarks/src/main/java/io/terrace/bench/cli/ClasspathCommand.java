package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code bin/terrace classpath}. */
@Command(
        name = "classpath",
        mixinStandardHelpOptions = true,
        description = "Print the jars to add to the class path of an installed Hadoop (HADOOP_CLASSPATH).")
final class ClasspathCommand implements Callable<Integer> {
    @Spec
    CommandSpec command;

    @Override
    public Integer call() {
        command.commandLine()
                .getOut()
                .println(ClassPath.ofThisProcess().plugins().text());
        return 0;
    }
}
