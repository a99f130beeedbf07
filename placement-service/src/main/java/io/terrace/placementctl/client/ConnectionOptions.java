package io.terrace.placementctl.client;

import java.io.File;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Which cluster is meant, and how to print: the options that every command has, before its verb or after it. */
public final class ConnectionOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    @Option(
            names = "--conf",
            scope = ScopeType.INHERIT,
            paramLabel = "DIR",
            description =
                    "Directory of core-site.xml and hdfs-site.xml. Default: HADOOP_CONF_DIR, else the class path.")
    @Nullable
    File conf;

    @Option(
            names = "--service",
            scope = ScopeType.INHERIT,
            paramLabel = "HOST:PORT",
            description = "Address of a placement service, past the configuration.")
    @Nullable
    String service;

    @Option(
            names = "--nameservice",
            scope = ScopeType.INHERIT,
            paramLabel = "NS",
            description = "Name service, where there are several. Default: that of fs.defaultFS.")
    @Nullable
    String nameservice;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print one JSON object.")
    public boolean json;

    /** The configuration that was asked for. */
    public Configuration configuration() {
        try {
            return SiteConfiguration.read(conf);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    public @Nullable String nameservice() {
        return nameservice;
    }

    /** Whether one service was named, past the configuration. */
    public boolean namesService() {
        return service != null;
    }

    /** The HDFS that was asked for. */
    public URI fileSystem(Configuration configuration) {
        return nameservice == null ? FileSystem.getDefaultUri(configuration) : URI.create("hdfs://" + nameservice);
    }

    public AdminClient connect() {
        return connect(configuration());
    }

    public AdminClient connect(Configuration configuration) {
        try {
            List<InetSocketAddress> addresses = service != null
                    ? List.of(NetUtils.createSocketAddr(service))
                    : ServiceAddresses.of(configuration, nameservice);
            return new AdminClient(configuration, addresses);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    /** A mistake in the arguments of the command that was named. */
    public ParameterException usage(String message) {
        CommandLine named = command.commandLine();
        while (named.getParseResult() != null && named.getParseResult().hasSubcommand()) {
            named = named.getParseResult().subcommand().commandSpec().commandLine();
        }
        return new ParameterException(named, message);
    }
}
