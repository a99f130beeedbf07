package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class FailureReasonTest {

    @Test
    void of_aFile_isNotItsPathAgain() {
        assertThat(FailureReason.of(new AccessDeniedException("/a"))).isEqualTo("permission denied");
        assertThat(FailureReason.of(new NoSuchFileException("/a"))).contains("no such file");
        assertThat(FailureReason.of(new FileSystemException("/a", null, "Is a directory")))
                .isEqualTo("Is a directory");
        assertThat(FailureReason.of(new FileSystemException("/a"))).isEqualTo("FileSystemException");
        assertThat(FailureReason.of(new IOException("the line is too long"))).isEqualTo("the line is too long");
    }
}
