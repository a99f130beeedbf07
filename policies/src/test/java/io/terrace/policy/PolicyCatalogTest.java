package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyCatalogTest {

    private static final TierHierarchy TWO = TierHierarchy.of(
            new TierSpec("memory", 1000, 1000, 1_000_000_000, true),
            new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 100_000_000, false));

    @Test
    void kinds_all_areMadeWithTheirDefaults() {
        assertThat(PolicyCatalog.kinds())
                .extracting(PolicyKind::name)
                .contains("adaptive", "idecider", "lru", "lfu", "lrfu", "gdsf", "s3-fifo", "arc", "2q", "sieve")
                .contains("decay-admit", "decay-density", "w-tinylfu");
        for (PolicyKind kind : PolicyCatalog.kinds()) {
            assertThat(PolicyCatalog.create(kind.name(), Map.of(), TWO).name()).isEqualTo(kind.name());
        }
    }

    @Test
    void create_unknownPolicy_namesThoseThereAre() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyCatalog.create("best", Map.of(), TWO))
                .withMessageContaining("'best'")
                .withMessageContaining("adaptive");
    }

    @Test
    void create_unknownParameter_namesItAndThoseThereAre() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyCatalog.create("idecider", Map.of("treshold", "3"), TWO))
                .withMessageContaining("'treshold'")
                .withMessageContaining("threshold");
    }

    @Test
    void create_valueOutOfRange_namesKeyAndRemedy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyCatalog.create("idecider", Map.of("threshold", "-1"), TWO))
                .withMessageContaining("threshold")
                .withMessageContaining("whole number from 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyCatalog.create("decay-admit", Map.of("half-life", "10"), TWO))
                .withMessageContaining("half-life")
                .withMessageContaining("unit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyCatalog.create("adaptive", Map.of("objective", "speed"), TWO))
                .withMessageContaining("tiered, objects, bytes");
    }

    @Test
    void hierarchy_badTiers_areRefused() {
        TierSpec memory = new TierSpec("memory", 10, 1, 1, true);
        assertThatIllegalArgumentException().isThrownBy(() -> TierHierarchy.of(memory));
        assertThatIllegalArgumentException().isThrownBy(() -> TierHierarchy.of(memory, memory));
        assertThatIllegalArgumentException().isThrownBy(() -> new TierSpec("m", -1, 1, 1, true));
        assertThatIllegalArgumentException().isThrownBy(() -> new TierSpec("m", 1, 1, 0, true));
    }
}
