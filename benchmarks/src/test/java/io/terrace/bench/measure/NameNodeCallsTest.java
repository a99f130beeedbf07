package io.terrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NameNodeCallsTest {
    private static final String PAGE =
            """
            # TYPE rpcdetailed_get_block_locations_num_ops counter
            rpcdetailed_get_block_locations_num_ops{port="9000",context="rpcdetailed",hostname="vm"} 12
            rpcdetailed_get_block_locations_avg_time{port="9000",context="rpcdetailed",hostname="vm"} 0.5
            rpcdetailed_overall_get_block_locations_num_ops{port="9000",context="rpcdetailed",hostname="vm"} 12
            rpcdetailed_deferred_get_block_locations_num_ops{port="9000",context="rpcdetailed",hostname="vm"} 0
            rpcdetailed_send_heartbeat_num_ops{port="9000",context="rpcdetailed",hostname="vm"} 1.0E3
            rpcdetailed_send_heartbeat_num_ops{port="9001",context="rpcdetailed",hostname="vm"} 77
            """;

    @Test
    void parse_ofOnePort_countsEachCallOnce() {
        assertThat(NameNodeCalls.parse(PAGE, 9000))
                .containsOnly(
                        java.util.Map.entry("get_block_locations", 12L), java.util.Map.entry("send_heartbeat", 1000L));
    }

    @Test
    void parse_ofAnotherPort_hasItsCallsAlone() {
        assertThat(NameNodeCalls.parse(PAGE, 9001)).containsOnly(java.util.Map.entry("send_heartbeat", 77L));
    }
}
