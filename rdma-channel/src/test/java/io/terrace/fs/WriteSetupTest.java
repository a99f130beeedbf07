package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WriteSetupTest {
    private static final String DELAY = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";
    private static final String LONGEST_DELAY = "dfs.client.block.write.locateFollowingBlock.max.delay.ms";
    private static final String RETRIES = "dfs.client.block.write.locateFollowingBlock.retries";

    private final Configuration conf = new Configuration(false);

    @Test
    void of_theDefaults_isStock() {
        WriteSetup setup = WriteSetup.of(conf);
        assertThat(setup.writes()).isNull();
        assertThat(setup.conf()).isSameAs(conf);
    }

    @Test
    void of_protectedTransfer_isStock() {
        conf.set("terrace.client.write.enabled", "true");
        conf.set("dfs.data.transfer.protection", "privacy");
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_PROTECTED);
        assertThat(WriteSetup.of(conf).writes()).isNull();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_PROTECTED) - before)
                .isEqualTo(1);
    }

    @Test
    void of_writesSwitchedOn_asksAgainSoonAndAsLongAsStock() {
        conf.set("terrace.client.write.enabled", "true");
        WriteSetup setup = WriteSetup.of(conf);
        assertThat(setup.writes()).isNotNull();
        assertThat(setup.conf().getInt(DELAY, 0)).isEqualTo(2);
        // 400 + 800 + 1600 + 3200 + 6400 ms as 2 + 4 + ... + 8192.
        assertThat(setup.conf().getInt(RETRIES, 0)).isEqualTo(13);
    }

    /** Stock asks until the file is complete then. */
    @Test
    void of_retriesForEver_areKept() {
        conf.set("terrace.client.write.enabled", "true");
        conf.setInt(RETRIES, -1);
        WriteSetup setup = WriteSetup.of(conf);
        assertThat(setup.conf().getInt(DELAY, 0)).isEqualTo(2);
        assertThat(setup.conf().getInt(RETRIES, 0)).isEqualTo(-1);
    }

    @Test
    void of_aShortDelay_isKept() {
        conf.set("terrace.client.write.enabled", "true");
        conf.setInt(DELAY, 1);
        assertThat(WriteSetup.of(conf).conf()).isSameAs(conf);
    }

    /** Stock asks again at once then, or fails; no number of tries takes as long. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void of_noLongestDelay_isKept(int longestMs) {
        conf.set("terrace.client.write.enabled", "true");
        conf.setInt(LONGEST_DELAY, longestMs);
        assertThat(WriteSetup.of(conf).conf()).isSameAs(conf);
    }
}
