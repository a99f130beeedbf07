package io.terrace.placementctl;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code placementctl policy} have one {@link PolicyFixture} for all, and what was configured before each. */
abstract class PolicyCommandsFixture {

    @TempDir
    static Path dir;

    static PolicyFixture fixture;
    static CtlSession ctl;

    @BeforeAll
    static void start() throws Exception {
        fixture = new PolicyFixture(dir);
        ctl = fixture.ctl;
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @BeforeEach
    void connect() throws IOException {
        fixture.connect();
    }

    @AfterEach
    void disconnect() throws IOException {
        fixture.disconnect();
    }
}
