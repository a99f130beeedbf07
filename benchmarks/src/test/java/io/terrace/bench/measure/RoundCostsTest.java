package io.terrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundCostsTest {
    private static final ClientVariant OURS = new ClientVariant("ours", Map.of());

    @Test
    void ratio_ofSeveralRounds_isTheMedianOfEachRoundsOwn() {
        RoundCosts costs = new RoundCosts();
        double[] stock = {10, 40, 10};
        double[] ours = {5, 10, 10};
        for (int round = 0; round < stock.length; round++) {
            costs.add(ClientVariant.stock(), stock[round]);
            costs.add(OURS, ours[round]);
        }

        assertThat(costs.ratio(ClientVariant.STOCK, "ours")).isEqualTo(2);
    }
}
