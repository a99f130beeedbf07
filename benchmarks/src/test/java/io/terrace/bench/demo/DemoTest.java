package io.terrace.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.load.Content;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.load.Step;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.bench.load.Workload;
import io.terrace.bench.load.ZipfWorkload;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTest {
    @Test
    void tally_ofHitsMissesAndPartialHits_countsOpsWholeAndBytesExactly() {
        ReadTally tally = new ReadTally();
        tally.record(new Outcome(100, 100, 0, 1_000));
        tally.record(new Outcome(100, 50, 0, 9_000));
        tally.record(new Outcome(200, 0, 3, 9_000));

        assertThat(tally.hitOps()).isEqualTo(1 / 3.0);
        assertThat(tally.hitBytes()).isEqualTo(150 / 400.0);
        assertThat(tally.wrongBytes()).isEqualTo(3);
        assertThat(tally.memory().reads()).isEqualTo(1);
        assertThat(tally.disk().bytes()).isEqualTo(300);
    }

    @Test
    void result_shownAndAsFigures_carriesTheIssuesFigures() {
        ReadTally workload = new ReadTally();
        workload.record(new Outcome(1 << 20, 1 << 20, 0, 20_000));
        workload.record(new Outcome(1 << 20, 0, 0, 300_000));
        ReadTally check = new ReadTally();
        check.record(new Outcome(1 << 20, 0, 7, 300_000));
        DemoResult result = new DemoResult(workload, check, new MemoryState(0, 0, 5 << 20, 1 << 20));
        StringWriter text = new StringWriter();
        result.show(new Screen(new PrintWriter(text), false));

        assertThat(result.figures())
                .containsEntry("bytes.read", 3L << 20)
                .containsEntry("bytes.wrong", 7L)
                .containsEntry("hit.ops", 0.5)
                .containsEntry("hit.bytes", 0.5)
                .containsEntry("bytes.moved", 6L << 20);
        assertThat(text.toString()).contains("50.0 % of reads", "5.0 MiB into memory", "7 wrong");
        assertThat(text.toString().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThan(100));
    }

    @Test
    void zipfWorkload_overUnevenFiles_staysInsideThem() {
        Content content = new SeededContent(1);
        DataSet data = new DataSet(List.of(new StoredFile("/a", 10, true), new StoredFile("/b", 3_000, true)), content);
        Workload workload = new ZipfWorkload(data, 1_024, 256, 0.9, 8);
        int[] reads = new int[2];
        for (int i = 0; i < 5_000; i++) {
            Step step = workload.next().orElseThrow();
            reads[step.file()]++;

            assertThat(step.lengthBytes()).isPositive();
            assertThat(step.position() + step.lengthBytes())
                    .isLessThanOrEqualTo(data.files().get(step.file()).lengthBytes());
        }

        assertThat(reads[0]).isPositive();
        assertThat(reads[1]).isPositive();
    }
}
