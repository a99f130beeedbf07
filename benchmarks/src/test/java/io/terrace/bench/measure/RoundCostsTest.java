package io.terrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundCostsTest {
    private static final Arm OURS = new Arm("ours", Map.of(), true);

    @Test
    void ratio_ofSeveralRounds_isTheMedianOfEachRoundsOwn() {
        RoundCosts costs = new RoundCosts();
        double[] stock = {10, 40, 10};
        double[] ours = {5, 10, 10};
        for (int round = 0; round < stock.length; round++) {
            costs.add(Arm.stock(), stock[round]);
            costs.add(OURS, ours[round]);
        }

        assertThat(costs.ratio(Arm.STOCK, "ours")).isEqualTo(2);
    }
}
