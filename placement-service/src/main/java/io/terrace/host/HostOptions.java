package io.terrace.host;

import io.terrace.placementctl.client.SiteConfiguration;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which host and which DataNode are meant: the options of both commands. */
final class HostOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    @Option(
            names = "--conf",
            paramLabel = "DIR",
            description = "Directory of the DataNode's hdfs-site.xml. Default: HADOOP_CONF_DIR, else the class path.")
    @Nullable
    File conf;

    @Option(
            names = "--root",
            paramLabel = "DIR",
            defaultValue = "/",
            description = "Root directory of an image of the host. Nothing is run there. Default: this host.")
    Path root;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description =
                    "User of the DataNode, by name or number. Default: the first of terrace.channel.owner (hdfs).")
    @Nullable
    String user;

    @Option(
            names = "--unit",
            paramLabel = "NAME",
            description =
                    "The DataNode's service of systemd; none if systemd does not start it. Default: the one that is"
                            + " installed, such as hadoop-hdfs-datanode.service.")
    @Nullable
    String unit;

    /** @throws ParameterException if an option or the configuration is wrong */
    DataNodeHost host() {
        if (!Files.isDirectory(root)) {
            throw usage("--root " + root + " is no directory");
        }
        HostFiles files = new HostFiles(root);
        HostSettings settings;
        try {
            settings = HostSettings.of(SiteConfiguration.read(conf));
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
        String name = user == null ? settings.owner() : user;
        UserAccount owner = UserAccount.find(files, name);
        if (owner == null) {
            throw usage("this host has no user " + name + ": create it, or name the DataNode's user with --user");
        }
        return new DataNodeHost(files, HostFacts.of(files), settings, owner, unit(files));
    }

    private @Nullable DataNodeUnit unit(HostFiles files) {
        if (unit == null) {
            return DataNodeUnit.installed(files);
        }
        if (unit.equals("none")) {
            return null;
        }
        String full = unit.endsWith(".service") ? unit : unit + ".service";
        if (!full.matches("[A-Za-z0-9:_.@-]+")) {
            throw usage("--unit " + unit + " is no name of a service");
        }
        return new DataNodeUnit(full);
    }

    private ParameterException usage(String message) {
        CommandLine line = command.commandLine();
        return new ParameterException(line, message);
    }
}
