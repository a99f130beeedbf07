package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.ResidentBlocks;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnnouncedBlocksTest {
    private static final BlockKey IN_TABLE = new BlockKey("pool", 1, 1);
    private static final BlockKey OTHER = new BlockKey("pool", 2, 1);

    @TempDir
    Path directory;

    @Test
    void announced_areThoseOfTheTableAndTheOthers_eachOnce() throws IOException, MalformedMessageException {
        try (SlotTable table = SlotTable.create(directory.resolve("slots"), 16, new Random(7))) {
            AnnouncedBlocks blocks = new AnnouncedBlocks(table);
            ResidencyBroadcast broadcast = new ResidencyBroadcast(blocks);
            ResidentBlocks heard = ResidentBlocks.NONE.after(body(broadcast.everything()));
            table.publish(table.claim(IN_TABLE));
            blocks.add(OTHER);
            blocks.add(IN_TABLE);
            assertThat(blocks.sortedFingerprints()).hasSize(2).isSorted();
            heard = heard.after(body(broadcast.changes()));
            assertThat(heard.contains(SlotTable.fingerprint(heard.fingerprintKey(), IN_TABLE)))
                    .isTrue();
            assertThat(heard.contains(SlotTable.fingerprint(heard.fingerprintKey(), OTHER)))
                    .isTrue();
            blocks.remove(IN_TABLE);
            assertThat(broadcast.changes()).as("the table still has it").isEmpty();
            blocks.remove(OTHER);
            heard = heard.after(body(broadcast.changes()));
            assertThat(heard.size()).isEqualTo(1);
            assertThat(table.lookup(OTHER))
                    .as("clients of the same host never hear of it")
                    .isNegative();
        }
    }

    private static ByteBuffer body(List<byte[]> frames) {
        byte[] first = frames.get(0);
        return ByteBuffer.wrap(first, TcpFrame.HEADER_BYTES, first.length - TcpFrame.HEADER_BYTES)
                .slice();
    }
}
