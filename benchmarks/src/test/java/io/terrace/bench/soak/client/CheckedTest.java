package io.terrace.bench.soak.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.client.FullCheck.Checked;
import org.junit.jupiter.api.Test;

final class CheckedTest {
    @Test
    void line_saysWhatWasChecked() {
        Checked checked = new Checked(5L << 30, 3);

        assertThat(Checked.isLine(checked.line())).isTrue();
        assertThat(Checked.of(checked.line())).isEqualTo(checked);
        assertThat(Checked.isLine("PAUSED")).isFalse();
    }
}
