package io.terrace.placementctl.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.replay.Trace;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Objects of 10 bytes in memory of 400, each written by three replicas and read once a minute later. */
class PolicyReplayTest {

    private static final int OBJECTS = 100;

    private static PolicyReplay replay(long directory, int vainPercent, int... rules) throws Exception {
        Trace.Builder rows = new Trace.Builder("written");
        for (int object = 0; object < OBJECTS; object++) {
            long atMs = object * 120_000L;
            for (int replica = 0; replica < 3; replica++) {
                rows.add(atMs + replica * 100, object, 10, 10, true, -1);
            }
            rows.add(atMs + 60_000, object, 10, 10, false, -1);
        }
        PolicySpec spec = PolicyFile.read("test", "policy: lru\nrules: [{path: /tmp/**, place: never}]");
        long[] directories = new long[OBJECTS];
        Arrays.fill(directories, directory);
        RuleAssignments assignments = new RuleAssignments(rules.length == 0 ? new int[OBJECTS] : rules, directories);
        return PolicyReplay.of("candidate", spec, assignments, rows.build(), 400, 0, 1, vainPercent);
    }

    @Test
    void firstReads_ofOneDirectory_comeFromMemory() throws Exception {
        PolicyReplay replay = replay(7, 10);
        assertThat(replay.first().reads()).isEqualTo(OBJECTS);
        assertThat(replay.first().fromMemory()).isBetween(90L, 97L);
        assertThat(replay.first().aheadBytes()).isEqualTo(10.0 * replay.first().fromMemory());
        assertThat(replay.first().vainBytes())
                .as("each write is told three times")
                .isZero();
        assertThat(replay.outcome().tierReads()[0]).isEqualTo(replay.first().fromMemory());
    }

    /** Files of 20 blocks, one read after the other, a block a second. */
    @Test
    void blocks_aheadOfTheirReader_comeFromMemory() throws Exception {
        Trace.Builder rows = new Trace.Builder("read");
        for (int object = 0; object < OBJECTS; object++) {
            rows.add(object * 1_000L, object, 10, 10, false, -1);
        }
        Trace trace = rows.build();
        LoggedFiles.Builder files = new LoggedFiles.Builder(trace);
        for (int object = 0; object < OBJECTS; object++) {
            files.add(object, 5_000 + object, 1 + object / 20);
        }
        long[] directories = new long[OBJECTS];
        Arrays.fill(directories, 7);
        RuleAssignments assignments = new RuleAssignments(new int[OBJECTS], directories, files.build());
        PolicySpec spec = PolicyFile.read("test", "policy: lru");
        PolicyReplay replay = PolicyReplay.of("candidate", spec, assignments, trace, 400, 0, 1, 10);
        assertThat(replay.readAhead().reads())
                .isBetween(16L, 40L)
                .isEqualTo(replay.outcome().tierReads()[0]);
        assertThat(replay.readAhead().aheadBytes())
                .isEqualTo(10.0 * replay.readAhead().reads());
        assertThat(replay.readAhead().vainBytes()).isZero();
        assertThat(PolicyReplay.of("candidate", spec, assignments, trace, 400, 0, 1, 0)
                        .readAhead()
                        .reads())
                .isZero();
    }

    @Test
    void firstReads_withoutCopiesAhead_comeFromDisk() throws Exception {
        assertThat(replay(7, 0).first().fromMemory()).isZero();
    }

    @Test
    void firstReads_ofUnknownDirectories_comeFromDisk() throws Exception {
        assertThat(replay(0, 10).first().aheadBytes()).isZero();
    }

    @Test
    void firstReads_ofWhatARuleForbids_comeFromDisk() throws Exception {
        int[] never = new int[OBJECTS];
        Arrays.fill(never, 1);
        assertThat(replay(7, 10, never).first().aheadBytes()).isZero();
    }
}
