package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An RDMA device that goes away and comes back, as a card does that is reset; without one. */
@Timeout(60)
final class DeviceRemovalTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void removedDevice_isToldToNobody_andServesAgainOnceItIsBack() throws Exception {
        try (FakeDevice device = new FakeDevice()) {
            device.posts = true;
            AtomicReference<RdmaCmId> listening = new AtomicReference<>();
            device.connections.onCreate = listening::set;
            try (ExtentRegistry extents =
                    ExtentRegistry.on(new VerbsProvider(VerbsLimits.DEFAULT, false), HERE, () -> {}, 20)) {
                ListenerWindows windows = extents.windows(64 << 20);
                windows.open("host").close();
                String address = extents.where();
                assertThat(address).isNotEmpty();
                assertThat(extents.problem()).isEmpty();
                RdmaCmId first = listening.get();

                device.connections.events.add(
                        new RdmaCmEvent(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL.ordinal(), first, first) {});
                await().until(() -> !extents.problem().isEmpty());
                assertThat(extents.problem()).contains("removed");
                if (extents.where().isEmpty()) {
                    assertThat(windows.where()).isEmpty();
                    assertThatThrownBy(() -> windows.open("host")).isInstanceOf(IOException.class);
                }

                await().until(() -> extents.problem().isEmpty());
                assertThat(extents.where()).isEqualTo(address);
                assertThat(windows.where()).isEqualTo(address);
                assertThat(listening.get()).isNotSameAs(first);
                windows.open("host").close();
            }
            assertThat(device.registered).isEmpty();
        }
    }
}
