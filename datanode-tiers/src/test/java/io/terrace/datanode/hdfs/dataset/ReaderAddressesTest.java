package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReaderAddressesTest {

    private final ReaderAddresses addresses = new ReaderAddresses();

    private Optional<String> seen(String threadName) {
        CompletableFuture<Optional<String>> seen = new CompletableFuture<>();
        new Thread(() -> seen.complete(Optional.ofNullable(addresses.get())), threadName).start();
        return seen.join();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "127.0.0.1|DataXceiver for client DFSClient_1 at /127.0.0.1:4 [Sending block BP-1:blk_1_2]",
                "10.1.2.3|DataXceiver for client DFSClient_1 at dn/10.1.2.3:50010 [Sending block BP-1:blk_1_2]",
                "0:0:0:0:0:0:0:1|DataXceiver for client x at /[0:0:0:0:0:0:0:1]:50010 [Sending block BP-1:blk_1_2]",
                "10.0.0.2|DataXceiver for client /10.0.0.1:1 [ at /10.0.0.2:2 [Sending block BP-1:blk_1_2]",
                "''|DataXceiver for client x at unix:/a/b:1 [Sending block BP-1:blk_1_2]",
                "null|DataXceiver for client x at nowhere [Sending block BP-1:blk_1_2]",
                "null|DataXceiver for client x at /: [Sending block BP-1:blk_1_2]",
                "null|DataXceiver for client x at /10.0.0.1:4",
                "null|main",
            })
    void get_isReadOffTheNameOfTheThread(String address, String threadName) {
        assertThat(seen(threadName)).isEqualTo(Optional.ofNullable(address));
    }

    @Test
    void get_addressThatIsKnown_isTheSameObject() {
        String name = "DataXceiver for client x at /10.0.0.1:%d [Sending block BP-1:blk_1_2]";
        assertThat(seen(name.formatted(1)).orElseThrow())
                .isSameAs(seen(name.formatted(2)).orElseThrow());
    }

    @Test
    void get_moreAddressesThanAreRemembered_areAllRight() {
        for (int i = 0; i < 3 * ReaderAddresses.REMEMBERED; i++) {
            String address = "10.0." + i / 256 + "." + i % 256;
            assertThat(seen("DataXceiver for client x at /" + address + ":4 [Sending block b]"))
                    .contains(address);
        }
    }
}
