package io.terrace.placement.hdfs;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the service's ACLs again when {@code hdfs dfsadmin -refreshServiceAcl} has made the NameNode read its own: then its
 * server holds other lists than before. Looks each second; as with the NameNode's, connections that stand are not asked
 * again.
 */
final class ServiceAclWatch {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceAclWatch.class);
    private static final long LOOK_MS = 1000;

    private final RPC.Server nameNode;
    private final RPC.Server service;
    private AccessControlList seen;

    private ServiceAclWatch(RPC.Server nameNode, RPC.Server service) {
        this.nameNode = nameNode;
        this.service = service;
        this.seen = present();
    }

    /**
     * Sets the service's ACLs, and begins to look.
     *
     * @param conf what the NameNode started with
     */
    static void start(RPC.Server nameNode, RPC.Server service, Configuration conf, ScheduledExecutorService watch) {
        ServiceAclWatch lists = new ServiceAclWatch(nameNode, service);
        service.refreshServiceAcl(conf, new ServiceAcls());
        ScheduledFuture<?> unused = watch.scheduleWithFixedDelay(lists::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    private AccessControlList present() {
        return nameNode.getServiceAuthorizationManager().getProtocolsAcls(ClientProtocol.class);
    }

    @SuppressWarnings("ReferenceEquality") // A list that was read again may say the same while ours do not.
    private void look() {
        try {
            AccessControlList present = present();
            if (present != seen) {
                // As the NameNode does for its own access lists.
                service.refreshServiceAcl(new Configuration(), new ServiceAcls());
                seen = present;
                LOG.info("Read who may call the placement service again, as the NameNode did for its own");
            }
        } catch (RuntimeException | Error e) {
            // An Error would end the watch, too.
            LOG.error("Who may call the placement service could not be read again; it is tried each second", e);
        }
    }
}
