package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientSpeedsTest {
    private static final int MB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ClientSpeeds speeds = new ClientSpeeds();

    private static ClientSpeeds.Sender client(String host) {
        return new ClientSpeeds.Sender(host, false);
    }

    private List<String> hostsSince(long change) {
        return speeds.changedSince(change, 100).stream()
                .map(speed -> speed.sender().host())
                .toList();
    }

    @Test
    void littleData_saysNothing() {
        speeds.received(client("a"), ClientSpeeds.SAMPLE_BYTES - 1, SECOND);
        assertThat(speeds.changedSince(0, 100)).isEmpty();
        speeds.received(client("a"), 1, 0);
        assertThat(speeds.changedSince(0, 100))
                .containsExactly(new ClientSpeeds.Speed(client("a"), ClientSpeeds.SAMPLE_BYTES, 1, 1));
    }

    /** It may be slow because its own client is. */
    @Test
    void dataNodeThatForwards_isApartFromClientsOfItsHost() {
        speeds.received(client("a"), 4 * MB, SECOND);
        speeds.received(new ClientSpeeds.Sender("a", true), 8 * MB, SECOND);
        assertThat(speeds.changedSince(0, 100))
                .extracting(ClientSpeeds.Speed::bytesPerSecond)
                .containsExactly(4L * MB, 8L * MB);
    }

    @Test
    void mean_forgets() {
        for (int i = 0; i < 100; i++) {
            speeds.received(client("a"), 4 * MB, SECOND);
        }
        for (int i = 0; i < 100; i++) {
            speeds.received(client("a"), 4 * MB, SECOND / 10);
        }
        ClientSpeeds.Speed speed = speeds.changedSince(0, 1).get(0);
        assertThat(speed.bytesPerSecond()).isBetween(39L * MB, 40L * MB);
        assertThat(speed.samples()).isEqualTo(200);
    }

    @Test
    void slowAndFastBytes_weighByTime() {
        speeds.received(client("a"), 4 * MB, SECOND);
        speeds.received(client("a"), 4 * MB, 9 * SECOND);
        // 0.8 of the first sample and all of the second.
        assertThat(speeds.changedSince(0, 1).get(0).bytesPerSecond()).isEqualTo((long) (7.2 * MB / 9.8));
    }

    @Test
    void changes_areToldOnceAndInTheirOrder() {
        speeds.received(client("a"), 4 * MB, SECOND);
        speeds.received(client("b"), 4 * MB, SECOND);
        speeds.received(client("a"), 4 * MB, SECOND);
        assertThat(hostsSince(0)).containsExactly("b", "a");
        assertThat(hostsSince(2)).containsExactly("a");
        assertThat(hostsSince(3)).isEmpty();
        assertThat(speeds.changedSince(0, 1)).hasSize(1);
    }

    @Test
    void hosts_areBounded_andTheOneThatChangedFirstGoes() {
        speeds.received(client("first"), 4 * MB, SECOND);
        for (int i = 0; i < ClientSpeeds.MOST_SENDERS; i++) {
            speeds.received(client("host" + i), 4 * MB, SECOND);
        }
        assertThat(speeds.changedSince(0, Integer.MAX_VALUE))
                .hasSize(ClientSpeeds.MOST_SENDERS)
                .noneMatch(speed -> speed.sender().host().equals("first"));
    }

    @Test
    void whatArrivedDuringAWait_isNotMeasured() {
        SpeedMeter meter = new SpeedMeter(speeds, client("a"));
        meter.waited(SECOND);
        for (int i = 0; i < 8; i++) {
            meter.received(MB, 1);
        }
        for (int i = 0; i < 4; i++) {
            meter.received(MB, SECOND);
        }
        assertThat(speeds.changedSince(0, 1).get(0).bytesPerSecond()).isEqualTo(MB);
    }

    @Test
    void smallFrames_areNotMeasured() {
        SpeedMeter meter = new SpeedMeter(speeds, client("a"));
        for (int i = 0; i < 1_000; i++) {
            meter.received(64 << 10, 1);
        }
        assertThat(speeds.changedSince(0, 1)).isEmpty();
    }
}
