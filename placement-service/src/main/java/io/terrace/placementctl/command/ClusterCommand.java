package io.terrace.placementctl.command;

import io.terrace.placementctl.client.ConnectionOptions;
import io.terrace.placementctl.client.Refused;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that takes the options of {@link ConnectionOptions}, before its verb or after it. */
public abstract class ClusterCommand implements Callable<Integer> {

    /** The name under which the root command mixes {@link ConnectionOptions} in. */
    public static final String COMMON_OPTIONS = "cluster";

    @Spec
    protected CommandSpec spec;

    /** The options, wherever they stood. */
    protected final ConnectionOptions cluster() {
        CommandSpec common = Objects.requireNonNull(spec.root().mixins().get(COMMON_OPTIONS), COMMON_OPTIONS);
        return (ConnectionOptions) common.userObject();
    }

    /** A path as a command takes it; two slashes would begin the name of a host. */
    protected final void requireAbsolute(String path) {
        if (!path.startsWith("/") || path.startsWith("//")) {
            throw cluster().usage("'" + path + "' is no absolute path");
        }
    }

    /** Opens the HDFS that was asked for. */
    protected final FileSystem open(Configuration conf) throws Refused {
        try {
            URI uri = cluster().fileSystem(conf);
            return FileSystem.newInstance(uri, impatient(conf));
        } catch (IOException | RuntimeException e) {
            throw unopened(conf, e);
        }
    }

    /** Why HDFS is not opened, and what to correct. Hadoop throws any kind of exception for a wrong address. */
    protected final Refused unopened(Configuration conf, Exception e) {
        String why = e.getCause() instanceof UnknownHostException unknown
                ? "unknown host " + unknown.getMessage()
                : String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
        return new Refused((cluster().nameservice() == null
                        ? conf.getTrimmed(FileSystem.FS_DEFAULT_NAME_KEY)
                        : "name service " + cluster().nameservice())
                + " cannot be opened: " + why + "; correct "
                + (cluster().nameservice() == null ? FileSystem.FS_DEFAULT_NAME_KEY : "--nameservice")
                + ", or name the cluster's configuration with --conf DIR");
    }

    /** By Hadoop's defaults a NameNode that does not answer is tried for 15 minutes, without a word. */
    protected static Configuration impatient(Configuration given) {
        Configuration conf = new Configuration(given);
        conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY, 5_000);
        conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 2);
        conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
        conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, 30_000);
        conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 5);
        return conf;
    }
}
