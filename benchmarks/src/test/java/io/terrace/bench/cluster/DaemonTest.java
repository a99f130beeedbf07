package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DaemonTest {
    @TempDir
    private Path dir;

    /** Lives until it is killed. */
    public static final class Sleeper {
        public static void main(String[] arguments) throws InterruptedException {
            Thread.sleep(60_000);
        }
    }

    @Test
    void daemon_thatEndsByItself_isKnown_andItsLastWordsStay() throws IOException {
        Daemon daemon = new Daemon("datanode-1", new ClusterLayout(dir));
        assertThat(daemon.hasEnded()).as("never started").isFalse();

        for (int i = 1; i <= 2; i++) {
            daemon.start(JavaHome.ofThisProcess(), List.of(), List.of("-cp", "nowhere", "Class" + i));
            await().until(daemon::hasEnded);
        }

        assertThat(Files.readString(daemon.output())).contains("Class1").contains("Class2");
        daemon.kill();
        assertThat(daemon.hasEnded()).as("there was nothing to kill").isTrue();
    }

    @Test
    void daemon_thatHasFoundItsPortTaken_saysSo() throws IOException {
        Daemon daemon = new Daemon("datanode-1", new ClusterLayout(dir));
        Files.createDirectories(daemon.output().getParent());
        Files.writeString(daemon.output(), "");
        Files.writeString(daemon.log(), "2026-11-28 12:12:04,142 ERROR a.B: java.net.SocketException: closed\n");
        assertThat(daemon.hasFoundPortTaken()).isFalse();
        assertThat(Daemon.anyHasFoundPortTaken(new ClusterLayout(dir))).isFalse();

        String stack = "\tat a.B.c(B.java:1)\n".repeat(100);
        Files.writeString(daemon.log(), "java.net.BindException: Problem binding to [localhost:20001]\n" + stack);
        assertThat(daemon.hasFoundPortTaken()).isTrue();
        assertThat(Daemon.anyHasFoundPortTaken(new ClusterLayout(dir))).isTrue();
    }

    @Test
    void daemon_thatIsKilled_hasNotEndedByItself() throws IOException {
        Daemon daemon = new Daemon("datanode-1", new ClusterLayout(dir));
        daemon.start(
                JavaHome.ofThisProcess(),
                List.of(),
                List.of("-cp", System.getProperty("java.class.path"), Sleeper.class.getName()));
        await().until(() -> daemon.process().isPresent());

        daemon.kill();

        assertThat(daemon.process()).isEmpty();
        assertThat(daemon.hasEnded()).isFalse();
    }
}
