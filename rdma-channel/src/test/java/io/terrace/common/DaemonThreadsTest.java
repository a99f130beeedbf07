package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

final class DaemonThreadsTest {
    /** The thread may outlive the task that needed it first, and would keep all classes of that task. */
    @Test
    void make_underAnotherLoader_hasTheLoaderOfItsOwnClass() throws IOException {
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();
        try (URLClassLoader ofTask = new URLClassLoader(new URL[0], before)) {
            self.setContextClassLoader(ofTask);
            Thread made = DaemonThreads.named("made").newThread(() -> {});
            assertThat(made.getContextClassLoader()).isSameAs(DaemonThreads.class.getClassLoader());
            assertThat(made.isDaemon()).isTrue();
        } finally {
            self.setContextClassLoader(before);
        }
    }
}
