package io.terrace.placement.hdfs;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.PlacementDataNodePB;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;

/** Who may call what with service-level authorization: keys for {@code hadoop-policy.xml}. */
final class ServiceAcls extends PolicyProvider {

    @Override
    public Service[] getServices() {
        return new Service[] {
            new Service("security.terrace.datanode.protocol.acl", PlacementDataNodePB.class),
            new Service("security.terrace.admin.protocol.acl", PlacementAdminPB.class)
        };
    }
}
