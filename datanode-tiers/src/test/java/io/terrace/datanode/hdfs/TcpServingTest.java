package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the channels that do not encrypt step aside; that nothing listens then is shown in SecureClusterTest. */
class TcpServingTest {

    @ParameterizedTest
    @CsvSource({
        "dfs.encrypt.data.transfer, true",
        "dfs.data.transfer.protection, privacy",
        "dfs.data.transfer.protection, integrity",
        "dfs.data.transfer.protection, 'authentication,privacy'"
    })
    void protection_ofTransfer_isAReasonThatNamesItsKey(String key, String value) {
        Configuration conf = new Configuration(false);
        conf.set(key, value);
        for (boolean secure : new boolean[] {true, false}) {
            assertThat(TcpServing.protection(conf, secure, 1004)).contains(key);
        }
    }

    @Test
    void protection_onASecureCluster_needsAPortThatOnlyRootCanHave() {
        Configuration conf = new Configuration(false);
        assertThat(TcpServing.protection(conf, true, 1023)).isEmpty();
        assertThat(TcpServing.protection(conf, true, 1024)).contains("1024");
        assertThat(TcpServing.protection(conf, false, 9876)).isEmpty();
    }
}
