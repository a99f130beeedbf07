package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are a shell. */
final class ClientProcessTest {
    private final Findings findings = new Findings(
            new PrintWriter(new StringWriter()), new Flips(), process -> false, block -> false, block -> false);

    @TempDir
    private Path dir;

    @Test
    void client_thatIsKilled_isHeardToTheEnd_andHasNotEndedByItself() throws IOException {
        Path said = dir.resolve("said");
        String script = "for i in $(seq 500); do echo LOST /f$i 1 gone; done; touch " + said + "; sleep 60";
        try (ClientProcess client = client(script)) {
            await().until(() -> Files.exists(said));

            client.kill();

            assertThat(findings.value("files.lost")).isEqualTo(500);
            assertThat(client.isAlive()).isFalse();
            assertThat(client.hasEnded()).isFalse();
        }
    }

    @Test
    void client_thatEndsByItself_isKnown_untilItIsStartedAgain() throws IOException {
        Path again = dir.resolve("again");
        try (ClientProcess client = client("[ -e " + again + " ] && sleep 60; exit 3")) {
            await().until(client::hasEnded);
            client.kill();
            assertThat(client.hasEnded()).as("there was nothing to kill").isTrue();

            Files.createFile(again);
            client.restart();
            assertThat(client.hasEnded()).isFalse();
        }
    }

    private ClientProcess client(String script) throws IOException {
        return new ClientProcess("c1", List.of("/bin/sh", "-c", script), dir.resolve("c1.log"), findings);
    }
}
