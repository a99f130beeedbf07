package io.terrace.datanode.writethrough;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRuleProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRulesProto;
import org.junit.jupiter.api.Test;

class WriteThroughRulesTest {

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final WriteThroughRules rules = new WriteThroughRules(metricRegistry);

    private static WriteThroughRulesProto of(long id, String... patterns) {
        WriteThroughRulesProto.Builder rules =
                WriteThroughRulesProto.newBuilder().setId(id);
        for (String pattern : patterns) {
            rules.addRules(WriteThroughRuleProto.newBuilder()
                    .setPath(pattern.substring(1))
                    .setToMemory(pattern.charAt(0) == '+'));
        }
        return rules.build();
    }

    @Test
    void firstRuleThatTakesAPathIn_decides() {
        rules.take("BP-1", of(7, "-/out/tmp/**", "+/out/**", "-/**"));
        assertThat(rules.id("BP-1")).isEqualTo(7);
        assertThat(rules.wantCopy("BP-1", "/out/part-1")).isTrue();
        assertThat(rules.wantCopy("BP-1", "/out/tmp/part-1")).isFalse();
        assertThat(rules.wantCopy("BP-1", "/logs/1")).isFalse();
        assertThat(metricRegistry.value(Metric.MEMORY_THROUGH_RULED)).isEqualTo(1);
    }

    @Test
    void otherPool_hasItsOwn() {
        rules.take("BP-1", of(7, "+/**"));
        assertThat(rules.id("BP-2")).isZero();
        assertThat(rules.wantCopy("BP-2", "/a")).isFalse();
    }

    @Test
    void noPath_orOneThatIsNone_isTakenInByNothing() {
        rules.take("BP-1", of(7, "+/**"));
        assertThat(rules.wantCopy("BP-1", "")).isFalse();
        assertThat(rules.wantCopy("BP-1", "a/b")).isFalse();
        assertThat(rules.wantCopy("BP-1", "/")).isTrue();
    }

    @Test
    void ruleThatCannotBeRead_isLeftOut() {
        rules.take("BP-1", of(8, "+no path", "+/out/**"));
        assertThat(rules.wantCopy("BP-1", "/out/a")).isTrue();
        assertThat(rules.id("BP-1")).as("not to be told again and again").isEqualTo(8);
    }

    @Test
    void rulesThatAreNamed_stay_untilTheServiceHasNone() {
        rules.take("BP-1", of(7, "+/out/**"));
        rules.take("BP-1", of(7));
        assertThat(rules.wantCopy("BP-1", "/out/a")).isTrue();
        rules.forget("BP-1");
        assertThat(rules.wantCopy("BP-1", "/out/a")).isFalse();
        assertThat(rules.id("BP-1")).isZero();
    }
}
