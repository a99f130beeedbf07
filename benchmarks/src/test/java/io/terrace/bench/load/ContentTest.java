package io.terrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentTest {
    @TempDir
    Path dir;

    @Test
    void seeded_anyRange_equalsThatPartOfTheWhole() {
        SeededContent content = new SeededContent(42);
        byte[] whole = new byte[4_096];
        content.fill(3, 1, 0, whole, whole.length);
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 2_000; i++) {
            int position = random.nextInt(whole.length);
            int length = random.nextInt(whole.length - position + 1);
            byte[] part = new byte[length];
            content.fill(3, 1, position, part, length);

            assertThat(part).isEqualTo(Arrays.copyOfRange(whole, position, position + length));
        }
    }

    @Test
    void seeded_ofOtherSeedFileOrVersion_differs() {
        byte[] first = filled(new SeededContent(1), 0, 0);

        assertThat(filled(new SeededContent(2), 0, 0)).isNotEqualTo(first);
        assertThat(filled(new SeededContent(1), 1, 0)).isNotEqualTo(first);
        assertThat(filled(new SeededContent(1), 0, 1)).isNotEqualTo(first);
    }

    private static byte[] filled(SeededContent content, int file, int version) {
        byte[] bytes = new byte[64];
        content.fill(file, version, 0, bytes, bytes.length);
        return bytes;
    }

    @Test
    void local_ofDirectory_givesTheFilesBytes() throws IOException {
        Files.createDirectory(dir.resolve("sub"));
        Files.writeString(dir.resolve("a:b"), "colon");
        Files.writeString(dir.resolve("sub/c"), "deeper");
        Files.createFile(dir.resolve("empty"));
        DataSet data = DataSet.local(dir);
        byte[] bytes = new byte[4];
        data.content().fill(1, 0, 2, bytes, 4);

        assertThat(data.files())
                .containsExactly(new StoredFile("/data/0/a_b", 5, true), new StoredFile("/data/1/sub/c", 6, true));
        assertThat(new String(bytes, java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("eper");
        assertThatThrownBy(() -> data.content().fill(0, 0, 3, bytes, 4)).isInstanceOf(EOFException.class);
        ((LocalContent) data.content()).close();
    }
}
