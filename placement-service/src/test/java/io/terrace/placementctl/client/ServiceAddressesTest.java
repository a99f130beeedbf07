package io.terrace.placementctl.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ServiceAddressesTest {

    private final Configuration conf = new Configuration(false);

    private List<String> hosts(String nameservice) {
        return ServiceAddresses.of(conf, nameservice).stream()
                .map(InetSocketAddress::getHostString)
                .toList();
    }

    private void twoNameServices() {
        conf.set("dfs.nameservices", "near,far");
        conf.set("dfs.ha.namenodes.near", "1,2");
        conf.set("dfs.namenode.rpc-address.near.1", "127.0.0.1:8020");
        conf.set("dfs.namenode.rpc-address.near.2", "127.0.0.2:8020");
        conf.set("dfs.namenode.rpc-address.far", "127.0.0.3:8020");
    }

    @Test
    void twoNameServices_onlyThatOfTheDefaultFileSystemIsAsked() {
        twoNameServices();
        conf.set("fs.defaultFS", "hdfs://far");
        assertThat(hosts(null)).containsExactly("127.0.0.3");
        conf.set("fs.defaultFS", "hdfs://near/");
        assertThat(hosts(null)).containsExactlyInAnyOrder("127.0.0.1", "127.0.0.2");
    }

    @Test
    void twoNameServices_oneIsNamed_itIsAsked() {
        twoNameServices();
        conf.set("fs.defaultFS", "hdfs://near");
        assertThat(hosts("far")).containsExactly("127.0.0.3");
    }

    @Test
    void twoNameServices_anotherDefault_isRefusedWithTheRemedy() {
        twoNameServices();
        conf.set("fs.defaultFS", "hdfs://router:8888");
        assertThatThrownBy(() -> hosts(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("[far, near]", "--nameservice");
    }

    @Test
    void oneNameService_isAsked_whateverTheDefaultIs() {
        conf.set("dfs.nameservices", "near");
        conf.set("dfs.namenode.rpc-address.near", "127.0.0.1:8020");
        conf.set("fs.defaultFS", "file:///");
        assertThat(hosts(null)).containsExactly("127.0.0.1");
    }

    @Test
    void noNameService_theDefaultFileSystemIsAsked() {
        conf.set("fs.defaultFS", "hdfs://127.0.0.1:8020");
        assertThat(hosts(null)).containsExactly("127.0.0.1");
    }
}
