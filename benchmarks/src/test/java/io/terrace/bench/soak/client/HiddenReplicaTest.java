package io.terrace.bench.soak.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.BlockMissingException;
import org.junit.jupiter.api.Test;

final class HiddenReplicaTest {
    private static final IOException CHECKSUM = new ChecksumException("wrong checksum", 512);

    @Test
    void failure_ofABadBlock_mayBeHidden_fromAClientThatReadsShortCircuit() {
        assertThat(HiddenReplica.mayBe(conf(true), CHECKSUM)).isTrue();
        assertThat(HiddenReplica.mayBe(conf(true), new IOException("read", CHECKSUM)))
                .isTrue();
        assertThat(HiddenReplica.mayBe(conf(true), new BlockMissingException("/f", "missing", 5)))
                .isTrue();
    }

    @Test
    void anyOtherFailure_orClient_isNone() {
        assertThat(HiddenReplica.mayBe(conf(false), CHECKSUM)).isFalse();
        assertThat(HiddenReplica.mayBe(conf(true), new IOException("the grant is gone")))
                .isFalse();
    }

    private static Configuration conf(boolean shortCircuit) {
        Configuration conf = new Configuration(false);
        conf.setBoolean("dfs.client.read.shortcircuit", shortCircuit);
        return conf;
    }
}
