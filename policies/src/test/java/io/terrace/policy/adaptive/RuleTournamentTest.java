package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.HashCommon;
import org.junit.jupiter.api.Test;

class RuleTournamentTest {

    private static final int SAMPLED = 16;
    private static final int EXPECTED_RETURN = 2;
    private static final long RETURNS_MS = 100_000;

    private final ObjectRecords records = new ObjectRecords(100);
    private final ReuseModel model = new ReuseModel(100_000, 0.01);
    private final RuleTournament tournament = new RuleTournament(
            records,
            new ObjectRanking(records, model, Objective.OBJECTS),
            SAMPLED,
            Objective.OBJECTS,
            0.01,
            0.005,
            SAMPLED);

    /** The sample halves, and with it the room, by which those go that are overdue. */
    @Test
    void thin_moreThanFit_goByTheirAgeAtPresent() {
        int node = ReuseModel.classOf(5, Log2.of(RETURNS_MS), 1);
        for (int i = 0; i < 1000; i++) {
            model.start(node, 1);
            model.end(node, RETURNS_MS, 1);
        }
        long nowMs = 10 * RETURNS_MS;
        for (long id = 0; records.count() < SAMPLED; id++) {
            long hash = HashCommon.murmurHash3(id);
            if ((hash & 1L << 32) == 0) {
                int slot = records.add(id, hash);
                records.size(slot, 1);
                records.readMs(slot, nowMs - (isOverdue(slot) ? 5 * RETURNS_MS : RETURNS_MS / 2));
                records.classAndJob(slot, node, 0);
                tournament.read(slot, hash, 1, 1, 0, nowMs);
                assertThat(records.resident(slot, EXPECTED_RETURN)).isTrue();
            }
        }
        records.add(-1, HashCommon.murmurHash3(-1L));
        tournament.thin(nowMs);
        for (int slot = 0; slot < SAMPLED; slot++) {
            assertThat(records.resident(slot, EXPECTED_RETURN))
                    .as("slot %d", slot)
                    .isEqualTo(!isOverdue(slot));
        }
    }

    private static boolean isOverdue(int slot) {
        return slot % 2 == 0;
    }
}
