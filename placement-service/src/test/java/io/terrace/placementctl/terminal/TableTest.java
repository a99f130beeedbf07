package io.terrace.placementctl.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.Quantity;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void lines_wideRow_shortensTheFlexibleColumnToFit() {
        Table table = new Table(">N", "~PATH", "END");
        table.row(1, "/a/" + "x".repeat(200) + "/file", "end");
        assertThat(table.lines()).allMatch(line -> line.length() <= Table.WIDTH);
        assertThat(table.lines().get(1)).contains("...").endsWith("/file  end");
    }

    @Test
    void row_controlCharacters_areMadeHarmless() {
        assertThat(new Table("A").row("x\u001b[31m\ny").lines().get(1)).isEqualTo("x?[31m?y");
    }

    @Test
    void wrapped_longText_breaksAtBlanks() {
        assertThat(Table.wrapped("word ".repeat(60).strip()))
                .hasSizeGreaterThan(2)
                .allMatch(line -> line.length() <= Table.WIDTH - 4 && !line.startsWith(" "));
    }

    @Test
    void bytesAndMillis_areShort() {
        assertThat(Quantity.bytes(0)).isEqualTo("0 B");
        assertThat(Quantity.bytes(1536)).isEqualTo("1.5 KB");
        assertThat(Quantity.bytes(128L << 20)).isEqualTo("128 MB");
        assertThat(Quantity.millis(119_999)).isEqualTo("119 s");
        assertThat(Quantity.millis(172_800_000)).isEqualTo("2 d");
        assertThat(Quantity.share(1, 3)).isEqualTo("33 %");
    }
}
