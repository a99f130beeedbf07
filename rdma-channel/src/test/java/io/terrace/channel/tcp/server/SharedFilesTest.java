package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.channel.server.TcpGrantFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedFilesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    private final SharedFiles files = new SharedFiles();

    @Test
    void fileUnderTwoNames_isOpenOnce_untilTheLastLetGo() throws Exception {
        Path file = Files.write(dir.resolve("file"), new byte[10]);
        Path name = Files.createLink(dir.resolve("name"), file);
        SharedFiles.OpenFile first = files.open(file);
        SharedFiles.OpenFile second = files.open(name);
        assertThat(second.channel()).isSameAs(first.channel());
        first.release();
        assertThat(second.channel().isOpen()).isTrue();
        second.release();
        assertThat(first.channel().isOpen()).isFalse();
        assertThat(files.count()).isZero();
    }

    /** A pipe that nobody writes hangs whoever opens it, as a disk may. */
    @Test
    void openThatHangs_keepsNobodyFromOtherFiles() throws Exception {
        Path pipe = dir.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        FutureTask<SharedFiles.OpenFile> hanging = new FutureTask<>(() -> files.open(pipe));
        Thread thread = new Thread(hanging);
        thread.start();
        TcpGrantFixture.eventually(() -> isOpening(thread));
        try {
            Path file = Files.write(dir.resolve("file"), new byte[10]);
            assertTimeoutPreemptively(PATIENCE, () -> files.open(file).release());
        } finally {
            Files.newOutputStream(pipe).close();
        }
        hanging.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
        assertThat(files.count()).isZero();
    }

    private static boolean isOpening(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.isNativeMethod() && frame.getMethodName().startsWith("open")) {
                return true;
            }
        }
        return false;
    }
}
