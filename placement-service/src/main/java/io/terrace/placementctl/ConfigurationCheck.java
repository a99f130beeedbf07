package io.terrace.placementctl;

import io.terrace.conf.DataNodeRules;
import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.policy.PolicyChoice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/**
 * Wrong or missing properties in one configuration: of a client, a DataNode, a NameNode, or all in one. What only one of
 * them needs is asked for only where the rest of its properties stand.
 */
final class ConfigurationCheck {

    static final String ACCESSORS = "dfs.client.replica.accessor.builder.classes";
    static final String ACCESSOR = "io.terrace.client.TerraceAccessorBuilder";
    static final String NAMENODE_PLUGINS = "dfs.namenode.plugins";
    static final String NAMENODE_PLUGIN = "io.terrace.placement.hdfs.TerraceNameNodePlugin";
    static final String DATANODE_PLUGINS = "dfs.datanode.plugins";
    static final String DATANODE_PLUGIN = "io.terrace.datanode.hdfs.TerraceDataNodePlugin";
    static final String DATASET = "dfs.datanode.fsdataset.factory";
    static final String DATASET_FACTORY = "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory";
    static final String MEMORY_DIR = TerraceSettings.DATANODE_MEMORY_DIR.key();
    static final String MEMORY_CAPACITY = TerraceSettings.DATANODE_MEMORY_CAPACITY.key();
    static final String DATA_DIRS = "dfs.datanode.data.dir";
    static final String ENCRYPTION = "dfs.encrypt.data.transfer";
    static final String PROTECTION = "dfs.data.transfer.protection";
    static final String LOCKED_MEMORY = "dfs.datanode.max.locked.memory";

    static final String DISNI = "com.ibm.disni.verbs.RdmaProvider";

    private final Configuration conf;
    private final HadoopClassPath classPath;
    private final List<HealthFinding> found = new ArrayList<>();

    ConfigurationCheck(Configuration conf) {
        this(conf, HadoopClassPath.ofThisHost(conf));
    }

    /** @param classPath of clients on this host */
    ConfigurationCheck(Configuration conf, HadoopClassPath classPath) {
        this.conf = conf;
        this.classPath = classPath;
    }

    List<HealthFinding> run() {
        keysAndValues();
        client();
        otherHosts();
        nameNode();
        dataNode();
        found.addAll(new WriteCheck(conf).run());
        return found;
    }

    private void keysAndValues() {
        for (String error : UnknownSettings.errors(conf)) {
            add(
                    Severity.ERROR,
                    "unknown-key",
                    error,
                    "correct or remove it; the daemons refuse to run Terrace with it");
        }
        boolean readable = true;
        for (Setting<?> setting : TerraceSettings.all()) {
            readable &= canBeRead(() -> setting.orNull(conf));
        }
        if (readable) {
            canBeRead(() -> PolicyChoice.from(conf::get));
        }
        if (!conf.getBoolean(TerraceSettings.ENABLED.key(), true)) {
            add(
                    Severity.WARNING,
                    "disabled",
                    TerraceSettings.ENABLED.key() + " is false: whoever reads this configuration is stock HDFS",
                    "remove it");
        }
    }

    private boolean canBeRead(Runnable read) {
        try {
            read.run();
            return true;
        } catch (IllegalArgumentException e) {
            add(
                    Severity.ERROR,
                    "bad-value",
                    String.valueOf(e.getMessage()),
                    "correct it or remove it to have the default");
            return false;
        }
    }

    private void client() {
        if (!names(ACCESSORS).contains(ACCESSOR)) {
            add(
                    Severity.NOTE,
                    "no-accessor",
                    ACCESSORS + " does not name " + ACCESSOR + ": clients with this configuration read stock",
                    "add it to the client's hdfs-site.xml");
        } else {
            loadable(ACCESSOR, Severity.WARNING, "reads are stock where it is missing");
            if (conf.getTrimmed(TerraceSettings.CHANNEL_DIR.key(), "").isEmpty()) {
                add(
                        Severity.WARNING,
                        "no-channel-dir",
                        TerraceSettings.CHANNEL_DIR.key()
                                + " is unset: clients cannot find the DataNode's socket and read through stock HDFS",
                        "set it alike for clients and DataNodes of a host");
            }
        }
        String fileSystem = conf.getTrimmed("fs.hdfs.impl", "");
        if (fileSystem.startsWith("io.terrace.")) {
            loadable(fileSystem, Severity.ERROR, "hdfs:// paths do not open at all where it is missing");
        }
    }

    /** The tcp channel, where it is on; clients and DataNodes look at the same keys. */
    private void otherHosts() {
        boolean verbs = !conf.getTrimmed(TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.key(), "0")
                .equals("0");
        if (verbs) {
            loadable(DISNI, Severity.WARNING, "without it memory is read over tcp, not by RDMA", "disni-2.0.jar");
        }
        if (conf.getTrimmed(TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key(), "0").equals("0")) {
            if (verbs) {
                add(
                        Severity.WARNING,
                        "verbs-without-tcp",
                        TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.key()
                                + " is set, but what is read by RDMA is granted over"
                                + " the tcp channel, which is off",
                        "set " + TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key() + " too");
            }
            nvmThatStockServes();
            return;
        }
        String protection = conf.getTrimmed(PROTECTION, "");
        boolean encrypted = conf.getBoolean(ENCRYPTION, false);
        if (encrypted || !protection.isEmpty()) {
            add(
                    Severity.WARNING,
                    "tcp-protected",
                    (encrypted ? ENCRYPTION + " is true" : PROTECTION + " is " + protection)
                            + ": the tcp channel neither signs nor encrypts, so clients of other hosts read stock",
                    "keep it so, and set " + TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key()
                            + " to 0 to end this warning");
        }
        if (!conf.getTrimmed("fs.hdfs.impl", "").startsWith("io.terrace.")) {
            add(
                    Severity.NOTE,
                    "tcp-no-class",
                    "fs.hdfs.impl is stock's: clients with this configuration read the memory of their own host alone",
                    "set it to io.terrace.fs.TerraceFileSystem in the client's hdfs-site.xml or in the application's own"
                            + " settings, never in core-site.xml");
        }
    }

    /** Whether the DataNodes have NVM, and the operator wants it to be granted. */
    private boolean isNvmGranted() {
        return conf.getBoolean(TerraceSettings.DATANODE_NVM_ENABLED.key(), true)
                && conf.getTrimmedStringCollection(DATA_DIRS).stream()
                        .anyMatch(dir -> dir.toUpperCase(Locale.ROOT).startsWith("[NVDIMM]"));
    }

    private void nvmOfThisHost() {
        if (isNvmGranted()
                && !conf.getTrimmed(TerraceSettings.CHANNEL_DIR.key(), "").isEmpty()
                && conf.getTrimmed(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(), "")
                        .isEmpty()) {
            add(
                    Severity.NOTE,
                    "nvm-without-local-dir",
                    DATA_DIRS + " names NVM, and " + TerraceSettings.DATANODE_NVM_LOCAL_DIR.key()
                            + " is unset: clients of a DataNode's own host read its NVM through stock HDFS",
                    "name a directory on the file system of each such volume, outside of the data directories");
        }
    }

    private void nvmThatStockServes() {
        if (isNvmGranted()) {
            add(
                    Severity.NOTE,
                    "nvm-without-tcp",
                    DATA_DIRS + " names NVM, whose replicas other hosts are granted over the tcp channel, which is off:"
                            + " they read them through stock HDFS",
                    "set " + TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key() + ", or "
                            + TerraceSettings.DATANODE_NVM_ENABLED.key() + " to false");
        }
    }

    private void loadable(String name, Severity severity, String consequence) {
        loadable(
                name,
                severity,
                consequence,
                "lib/client/terrace-client-*.jar of the tarball (bin/terrace-classpath client names it)");
    }

    private void loadable(String name, Severity severity, String consequence, String jar) {
        if (!classPath.has(name)) {
            add(
                    severity,
                    "missing-class",
                    name + " is not on " + classPath.name() + "; " + consequence,
                    "put " + jar + " on the class path of every client, YARN's containers included");
        }
    }

    private void nameNode() {
        boolean server = isSetInSite("dfs.namenode.name.dir");
        if (server && !names(NAMENODE_PLUGINS).contains(NAMENODE_PLUGIN)) {
            add(
                    Severity.WARNING,
                    "no-namenode-plugin",
                    NAMENODE_PLUGINS + " does not name " + NAMENODE_PLUGIN + nearMiss(NAMENODE_PLUGINS),
                    "append it in the NameNode's hdfs-site.xml");
        }
    }

    private void dataNode() {
        boolean plugin = names(DATANODE_PLUGINS).contains(DATANODE_PLUGIN);
        boolean dataset = DATASET_FACTORY.equals(conf.getTrimmed(DATASET));
        boolean server = plugin || dataset || isSetInSite(DATA_DIRS) || isSetInSite(MEMORY_DIR);
        if (!server) {
            return;
        }
        if (plugin != dataset) {
            add(
                    Severity.ERROR,
                    "half-datanode",
                    plugin
                            ? DATANODE_PLUGINS + " names the plugin, but " + DATASET + " is not " + DATASET_FACTORY
                            : DATASET + " is Terrace's, but " + DATANODE_PLUGINS + " does not name " + DATANODE_PLUGIN
                                    + nearMiss(DATANODE_PLUGINS),
                    "set both or neither in the DataNodes' hdfs-site.xml");
        } else if (!plugin) {
            add(
                    Severity.NOTE,
                    "no-datanode-plugin",
                    "DataNodes with this configuration are stock" + nearMiss(DATANODE_PLUGINS),
                    "set " + DATANODE_PLUGINS + " and " + DATASET);
        }
        nvmOfThisHost();
        if (plugin) {
            needed();
        }
        if (plugin && lockedMemory() > 0) {
            add(
                    Severity.NOTE,
                    "locked-memory",
                    LOCKED_MEMORY + " is set: LAZY_PERSIST replicas and the stock cache take from the same memory as"
                            + " Terrace's tier",
                    "let terrace.datanode.memory.capacity and " + LOCKED_MEMORY + " together fit the host");
        }
    }

    /** What makes a whole DataNode stock, volumes and the channel included. */
    private void needed() {
        if (conf.getTrimmed(MEMORY_DIR, "").isEmpty()) {
            add(
                    Severity.ERROR,
                    "no-memory-dir",
                    MEMORY_DIR + " is unset: DataNodes with this configuration are stock",
                    "name a directory on tmpfs");
        }
        if (conf.getTrimmed(MEMORY_CAPACITY, "").isEmpty()) {
            add(
                    Severity.ERROR,
                    "no-memory-capacity",
                    MEMORY_CAPACITY + " is unset: DataNodes with this configuration are stock",
                    "set it, such as 4g (placementctl size says how much is enough)");
        }
        for (IllegalArgumentException broken : DataNodeRules.broken(conf)) {
            add(
                    Severity.ERROR,
                    "bad-value",
                    broken.getMessage() + ": DataNodes with this configuration are stock",
                    "correct it or remove it to have the default");
        }
    }

    /** 0 where Hadoop could not read it, either. */
    private long lockedMemory() {
        try {
            return conf.getLongBytes(LOCKED_MEMORY, 0);
        } catch (IllegalArgumentException e) {
            found.add(unreadable(conf, LOCKED_MEMORY, "a number of bytes, such as 64g"));
            return 0;
        }
    }

    /** A key of stock that Hadoop cannot read. */
    static HealthFinding unreadable(Configuration conf, String key, String allowed) {
        return new HealthFinding(
                "bad-stock-value",
                Severity.ERROR,
                key + " is " + conf.getTrimmed(key) + ": Hadoop cannot read it, and what uses it does not start",
                "correct it: it must be " + allowed);
    }

    private Collection<String> names(String key) {
        return conf.getTrimmedStringCollection(key);
    }

    /** What was given instead, where it looks meant for us. */
    private String nearMiss(String key) {
        return names(key).stream()
                .filter(name -> name.toLowerCase(Locale.ROOT).contains("terrace"))
                .findFirst()
                .map(name -> " (it names " + name + ")")
                .orElse("");
    }

    /** Whether a file of the site sets it, rather than Hadoop's own defaults. */
    private boolean isSetInSite(String key) {
        String[] sources = conf.getPropertySources(key);
        if (sources == null || sources.length == 0) {
            return false;
        }
        String last = sources[sources.length - 1];
        return !last.contains("-default.xml");
    }

    private void add(Severity severity, String id, String text, String remedy) {
        found.add(new HealthFinding(id, severity, text, remedy));
    }
}
