package io.terrace.client;

import static io.terrace.client.AccessorFixture.POOL;
import static io.terrace.client.AccessorFixture.block;
import static io.terrace.client.AccessorFixture.content;
import static io.terrace.client.AccessorFixture.moved;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A stream that reads a block again goes straight to the grant that it used, and to no other, and not once that is over. */
final class StreamGrantsTest {
    private static final int LENGTH = 5000;
    private static final int SAME_PLACE = 17;

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    private final StreamGrants held = new StreamGrants();
    private LocalAccess access;

    @BeforeEach
    void start() throws Exception {
        fixture.node.put(block(1), content(1, LENGTH));
        fixture.node.put(block(SAME_PLACE), content(SAME_PLACE, LENGTH));
        access = requireNonNull(LocalAccess.of(fixture.conf));
    }

    @Test
    void open_again_neitherAsksNorSerialisesTheToken() throws Exception {
        CountedToken token = new CountedToken(1);
        LocatedBlock located = located(1, 1001, token);
        long asked = moved(Metric.CLIENT_GRANTS_ASKED, () -> {
            for (int i = 0; i < 10; i++) {
                assertRead(open(located), 1);
            }
        });
        assertThat(asked).isEqualTo(1);
        assertThat(token.written).isEqualTo(1);
    }

    @Test
    void open_withAnotherToken_asksTheDataNode() throws Exception {
        assertRead(open(located(1, 1001, new CountedToken(1))), 1);
        fixture.node.wantedToken = new byte[] {5};
        assertThat(open(located(1, 1001, new CountedToken(2)))).isNull();
    }

    @Test
    void open_ofABlockThatIsRetired_isStock() throws Exception {
        LocatedBlock located = located(1, 1001, new CountedToken(1));
        assertRead(open(located), 1);
        assertThat(access.holds(located, held)).isTrue();
        fixture.node.retire(block(1));
        assertThat(access.holds(located, held)).isFalse();
        assertThat(open(located)).isNull();
    }

    @Test
    void open_ofAnotherStamp_isStock() throws Exception {
        CountedToken token = new CountedToken(1);
        assertRead(open(located(1, 1001, token)), 1);
        assertThat(open(located(1, 1002, token))).isNull();
    }

    @Test
    void open_ofBlocksInTurn_readsEachOnesBytes() throws Exception {
        LocatedBlock one = located(1, 1001, new CountedToken(1));
        LocatedBlock other = located(SAME_PLACE, 1000 + SAME_PLACE, new CountedToken(1));
        for (int i = 0; i < 3; i++) {
            assertRead(open(one), 1);
            assertRead(open(other), SAME_PLACE);
        }
    }

    @Test
    void open_beyondTheExtent_isStock() throws Exception {
        LocatedBlock located = located(1, 1001, new CountedToken(1));
        assertRead(open(located), 1);
        assertThat(open(located, LENGTH + 1)).isNull();
    }

    private @Nullable ReplicaAccessor open(LocatedBlock located) {
        return open(located, LENGTH);
    }

    private @Nullable ReplicaAccessor open(LocatedBlock located, int endOffset) {
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9866);
        return access.open(new BlockReadRequest(
                located, 0, endOffset, here, false, true, "user", holder -> 0, new Configuration(false), held));
    }

    private static void assertRead(@Nullable ReplicaAccessor accessor, int id) throws IOException {
        byte[] got = new byte[LENGTH];
        assertThat(requireNonNull(accessor).read(0, got, 0, LENGTH)).isEqualTo(LENGTH);
        assertThat(got).isEqualTo(content(id, LENGTH));
        accessor.close();
    }

    private static LocatedBlock located(long id, long stamp, Token<BlockTokenIdentifier> token) {
        LocatedBlock located = new LocatedBlock(new ExtendedBlock(POOL, id, LENGTH, stamp), new DatanodeInfo[0]);
        located.setBlockToken(token);
        return located;
    }

    private static final class CountedToken extends Token<BlockTokenIdentifier> {
        int written;

        CountedToken(int id) {
            super(new byte[] {(byte) id}, new byte[] {2}, new Text("kind"), new Text("service"));
        }

        @Override
        public void write(DataOutput out) throws IOException {
            written++;
            super.write(out);
        }
    }
}
