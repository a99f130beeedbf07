package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.Test;

class RefusalsTest {

    @Test
    void lines_sayFirstWhatFailed_notWhatIsInMemory() {
        Refusals refusals = new Refusals();
        for (int i = 0; i < 20; i++) {
            refusals.addInMemory(new StampedBlock(i, 1, 1), "dn1");
        }
        for (int i = 20; i < 25; i++) {
            refusals.add(new StampedBlock(i, 1, 1), "earlier orders reserve the memory");
        }

        assertThat(refusals.count()).isEqualTo(25);
        assertThat(refusals.lines()).hasSize(20);
        assertThat(refusals.reasons()).isEqualTo(5);
        assertThat(refusals.lines().subList(0, 5)).allMatch(line -> line.contains("reserve the memory"));
        assertThat(refusals.lines().subList(5, 20)).allMatch(line -> line.contains("in memory on dn1 already"));
    }
}
