package io.terrace.channel.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** The words that say to readers on other hosts whether a range is valid: sequence and state. */
final class ValidityWordsGoldenTest {
    @Test
    void words() {
        ValidityWords words = new ValidityWords(2);
        int first = words.take();
        int second = words.take();
        assertThat(words.get(first)).isEqualTo(0x4L);
        assertThat(words.live(first)).isEqualTo(0x5L);
        assertThat(words.get(first)).isEqualTo(0x5L);
        words.invalidate(first, 0x5L);
        assertThat(words.get(first)).isEqualTo(0x4L);
        words.give(first);
        assertThat(words.take()).isEqualTo(first);
        assertThat(words.live(first)).as("the next use").isEqualTo(0x9L);
        assertThat(words.address(second) - words.address(first)).isEqualTo(8);
        assertThat(words.memory().bytes().order(ByteOrder.nativeOrder()).getLong(0))
                .isEqualTo(0x9L);
    }
}
