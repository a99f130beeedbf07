package io.terrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceWorkloadTest {
    private static final String HEADER = "time_s,object_id,bytes,op,obj_size,job\n";

    private static TraceWorkload trace(String rows) throws IOException {
        return TraceWorkload.read(new BufferedReader(new StringReader(HEADER + rows)), "trace.csv");
    }

    @Test
    void read_readAndWritten_keepsOrderPrefixAndWhoIsStoredFirst() throws IOException {
        TraceWorkload trace = trace("0,a,1000000,R,2000000,1\n1,b,500000,W,500000,1\n2,b,500000,R,500000,\n");
        DataSet data = trace.data(1, 9);
        List<Step> steps = new ArrayList<>();
        Workload workload = trace.workload(1);
        for (Optional<Step> step = workload.next(); step.isPresent(); step = workload.next()) {
            steps.add(step.get());
        }

        assertThat(data.files())
                .containsExactly(
                        new StoredFile("/data/object-00000", 2_000_000, true),
                        new StoredFile("/data/object-00001", 500_000, false));
        assertThat(steps)
                .containsExactly(
                        new Step(Step.Kind.READ, 0, 0, 1_000_000),
                        new Step(Step.Kind.WRITE, 1, 0, 500_000),
                        new Step(Step.Kind.READ, 1, 0, 500_000));
    }

    @Test
    void scale_toSmallCluster_shrinksButKeepsAPage() throws IOException {
        TraceWorkload trace = trace("0,a,4000000000,R,4000000000,1\n1,b,100000,R,100000,1\n2,c,10,R,10,1\n");
        double scale = trace.scale(1 << 20);

        assertThat(trace.data(scale, 1).files())
                .extracting(StoredFile::lengthBytes)
                .satisfiesExactly(
                        first -> assertThat((double) first).isCloseTo(1 << 20, within(100.0)),
                        second -> assertThat(second).isEqualTo(4_096L),
                        third -> assertThat(third).isEqualTo(10L));
        assertThat(trace.scale(Long.MAX_VALUE)).isEqualTo(1);
    }

    @Test
    void read_ofEmptyAccess_leavesItOut() throws IOException {
        assertThat(trace("0,a,0,R,100,1\n1,a,100,R,100,1\n").rows()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0,a,1,R,1\n", "0,a,x,R,1,1\n", "0,a,-1,R,1,1\n", "0,a,1,X,1,1\n", "0,a,0,R,0,1\n"})
    void read_malformed_isRefused(String rows) {
        assertThatThrownBy(() -> trace(rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("trace.csv");
    }

    @Test
    void read_withoutHeader_isRefused() {
        assertThatThrownBy(() -> TraceWorkload.read(new BufferedReader(new StringReader("0,a,1,R,1,1\n")), "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not begin with");
    }
}
