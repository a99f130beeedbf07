package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a host without RDMA is told: one IOException that says what is missing, however often it is asked. */
final class VerbsMissingTest {
    @Test
    void open_withoutDeviceOrLibrary_saysWhich() throws Exception {
        assumeFalse(VerbsFixture.hasDevice(), "there is RDMA here");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> VerbsProvider.open(VerbsLimits.DEFAULT, VerbsOptions.DEFAULT))
                    .isInstanceOf(IOException.class)
                    .message()
                    .containsAnyOf("there is no RDMA device", "need disni, jna, libibverbs and librdmacm");
        }
    }

    @Test
    void extents_withoutDeviceOrLibrary_areNotOffered() throws Exception {
        assumeFalse(VerbsFixture.hasDevice(), "there is RDMA here");
        AtomicInteger refused = new AtomicInteger();
        InetSocketAddress anywhere = new InetSocketAddress("0.0.0.0", 19_998);
        assertThatThrownBy(() -> ExtentRegistry.open(
                        anywhere, VerbsLimits.DEFAULT, VerbsOptions.DEFAULT, refused::incrementAndGet))
                .isInstanceOf(IOException.class);
        assertThat(refused).hasValue(0);
    }

    @Test
    void open_withLibdisniThatIsNotInstalled_namesIt() throws Exception {
        assumeFalse(VerbsFixture.hasDevice(), "rdma-core has been chosen in this process");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> VerbsProvider.open(VerbsLimits.DEFAULT, new VerbsOptions(true, false)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("libdisni")
                    .hasMessageContaining("java.library.path");
        }
    }
}
