package io.terrace.client.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadCostModelTest {
    private static final long SMALL = 4 << 10;
    private static final long BLOCK = 128L << 20;
    private static final int READERS = 1 << 20;

    private final ReadCostModel costs = new ReadCostModel(4);
    private final ReadCostModel.Costs memory = costs.memory("a");
    private final ReadCostModel.Costs stock = costs.stock("b");

    /** The share of readers that read memory, when readers take so long. */
    private double memoryShare(int readers, long rangeBytes, long memoryNs, long stockNs) {
        int ofMemory = 0;
        for (int i = 0; i < readers; i++) {
            boolean preferred = ReadCostModel.prefersMemory(memory, stock, rangeBytes);
            ofMemory += preferred ? 1 : 0;
            (preferred ? memory : stock).took(rangeBytes, rangeBytes, preferred ? memoryNs : stockNs);
        }
        return (double) ofMemory / readers;
    }

    @Test
    void memory_isPreferred_untilStockIsKnown() {
        assertThat(memoryShare(15, SMALL, 1_000_000, 1)).isEqualTo(1);
    }

    @Test
    void stock_isPreferred_onceItIsClearlyCheaper() {
        double unused = memoryShare(1_000, SMALL, 60_000, 4_000);
        assertThat(memoryShare(READERS, SMALL, 60_000, 4_000)).isLessThan(1 / 64.0 / 10);
    }

    @Test
    void theFirstReader_whichConnects_saysLittle() {
        stock.took(SMALL, SMALL, 20_000_000);
        double unused = memoryShare(200, SMALL, 60_000, 4_000);
        assertThat(memoryShare(1_000, SMALL, 60_000, 4_000)).isLessThan(0.01);
    }

    @Test
    void memory_isPreferred_whereBothTakeAboutTheSame() {
        double unused = memoryShare(1_000, SMALL, 60_000, 55_000);
        assertThat(memoryShare(READERS, SMALL, 60_000, 55_000)).isBetween(1 - 1 / 63.0, 1.0);
    }

    @Test
    void trials_costASixtyFourthOfTheTime() {
        double unused = memoryShare(1_000, SMALL, 60_000, 10_000_000);
        double stockShare = 1 - memoryShare(READERS, SMALL, 60_000, 10_000_000);
        assertThat(stockShare).isPositive();
        assertThat(stockShare * 10_000_000 / 60_000).isLessThan(1 / 60.0);
    }

    @Test
    void longRanges_costByTheByteRead() {
        long readNs = 1_000_000;
        for (int i = 0; i < 1_000; i++) {
            boolean preferred = ReadCostModel.prefersMemory(memory, stock, BLOCK);
            // Stock's readers happen to be closed early, and took less in all, but more for what they read.
            (preferred ? memory : stock).took(BLOCK, preferred ? BLOCK : BLOCK / 100, preferred ? readNs : readNs / 10);
        }
        assertThat(memoryShare(10, BLOCK, readNs, readNs)).isGreaterThanOrEqualTo(0.9);
    }

    @Test
    void oneHiccup_doesNotTurnTheChoice_butWhatStaysSlowDoes() {
        double unused = memoryShare(1_000, SMALL, 60_000, 120_000);
        memory.took(SMALL, SMALL, 500_000_000);
        assertThat(memoryShare(10, SMALL, 60_000, 120_000)).isGreaterThanOrEqualTo(0.9);
        double learning = memoryShare(100, SMALL, 5_000_000, 120_000);
        assertThat(memoryShare(READERS, SMALL, 5_000_000, 120_000)).isLessThan(0.01);
    }

    @Test
    void whatGetsBetterAgain_isFoundOut() {
        double slow = memoryShare(1_000, SMALL, 600_000, 60_000);
        assertThat(slow).isLessThan(0.5);
        double found = memoryShare(100_000, SMALL, 20_000, 60_000);
        assertThat(memoryShare(1_000, SMALL, 20_000, 60_000)).isGreaterThan(0.98);
    }

    @Test
    void sizes_areLearnedApart() {
        double small = memoryShare(1_000, SMALL, 60_000, 4_000);
        double large = memoryShare(1_000, BLOCK, 1_000_000, 40_000_000);
        assertThat(small).isLessThan(0.2);
        assertThat(large).isGreaterThan(0.95);
    }

    @Test
    void dataNodes_areBounded() {
        ReadCostModel.Costs first = costs.memory("first");
        for (int i = 0; i < 10; i++) {
            costs.memory("node " + i).took(SMALL, SMALL, 1);
        }
        assertThat(costs.memory("first")).isNotSameAs(first);
    }

    @Test
    void noise_changesNothing() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int ofMemory = 0;
        for (int i = 0; i < 20_000; i++) {
            boolean preferred = ReadCostModel.prefersMemory(memory, stock, SMALL);
            ofMemory += preferred ? 1 : 0;
            double spread = Math.exp(random.nextGaussian());
            (preferred ? memory : stock).took(SMALL, SMALL, (long) (spread * (preferred ? 20_000 : 400_000)));
        }
        assertThat(ofMemory).as("seed " + seed).isGreaterThan(19_000);
    }
}
