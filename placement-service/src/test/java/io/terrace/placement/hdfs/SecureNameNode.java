package io.terrace.placement.hdfs;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;

/** A Kerberos server, and a NameNode with Kerberos, service-level authorization and the placement service. */
public final class SecureNameNode implements AutoCloseable {

    private final MiniKdc kdc;
    private final File dir;
    private final File keytab;
    private NameNode nameNode;
    private Configuration conf;

    /**
     * Starts both; the NameNode's user is hdfs.
     *
     * @param principals that exist, besides those of the daemons
     */
    public SecureNameNode(File dir, Consumer<Configuration> more, String... principals) throws Exception {
        this.dir = dir;
        kdc = new MiniKdc(MiniKdc.createConf(), new File(dir, "kdc"));
        kdc.start();
        keytab = new File(dir, "all.keytab");
        kdc.createPrincipal(keytab, "hdfs/localhost", "HTTP/localhost", "dn/localhost");
        kdc.createPrincipal(new File(dir, "users.keytab"), principals);
        conf = configuration(more);
        UserGroupInformation.setConfiguration(conf);
        try {
            DFSTestUtil.formatNameNode(conf);
            start();
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    private Configuration configuration(Consumer<Configuration> more) {
        Configuration secure = new HdfsConfiguration();
        secure.set("hadoop.security.authentication", "kerberos");
        secure.set("hadoop.security.authorization", "true");
        secure.set("hadoop.security.auth_to_local", "RULE:[2:$1](hdfs)s/.*/hdfs/\nRULE:[2:$1](dn)s/.*/dn/\nDEFAULT");
        secure.set("dfs.namenode.kerberos.principal", principal("hdfs/localhost"));
        secure.set("dfs.datanode.kerberos.principal", principal("dn/localhost"));
        secure.set("dfs.web.authentication.kerberos.principal", principal("HTTP/localhost"));
        secure.set("dfs.namenode.keytab.file", keytab.getPath());
        secure.set("dfs.web.authentication.kerberos.keytab", keytab.getPath());
        secure.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        secure.set("dfs.namenode.name.dir", new File(dir, "name").toURI().toString());
        secure.set("fs.defaultFS", "hdfs://localhost:0");
        secure.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        secure.set("terrace.placement.rpc-address", "localhost:0");
        more.accept(secure);
        return secure;
    }

    /** Stops the NameNode and starts it again with its namespace and another configuration. */
    public void restart(Consumer<Configuration> more) throws Exception {
        nameNode.stop();
        conf = configuration(more);
        UserGroupInformation.setConfiguration(conf);
        start();
    }

    private void start() throws IOException {
        nameNode = new NameNode(conf);
        Configuration bound = nameNode.getConf();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !bound.get("terrace.placement.rpc-address").endsWith(":0"));
    }

    public NameNode nameNode() {
        return nameNode;
    }

    public Configuration conf() {
        return conf;
    }

    public File keytab() {
        return keytab;
    }

    /** With the realm. */
    public String principal(String name) {
        return name + "@" + kdc.getRealm();
    }

    /** Logged in. */
    public UserGroupInformation user(String name) throws IOException {
        File file = name.contains("/") ? keytab : new File(dir, "users.keytab");
        return UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal(name), file.getPath());
    }

    @Override
    public void close() {
        if (nameNode != null) {
            nameNode.stop();
        }
        kdc.stop();
        UserGroupInformation.reset();
        UserGroupInformation.setConfiguration(new Configuration());
    }
}
