package io.terrace.bench.fuzz;

import io.terrace.datanode.hdfs.dataset.BoundedTokens;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;

/** Block tokens as they come with a request, up to the identifier that Hadoop decodes. */
final class Tokens implements FuzzTarget {

    @Override
    public List<byte[]> seeds() throws IOException {
        return List.of(token(false), token(true));
    }

    private static byte[] token(boolean protobuf) throws IOException {
        BlockTokenIdentifier identifier = new BlockTokenIdentifier(
                "alice",
                "BP-17-127.0.0.1-1700000000000",
                1073741825L,
                EnumSet.of(BlockTokenIdentifier.AccessMode.READ),
                new StorageType[] {StorageType.DISK},
                new String[] {"DS-1"},
                protobuf);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new Token<BlockTokenIdentifier>(
                        identifier.getBytes(), new byte[20], identifier.getKind(), new Text("127.0.0.1:9866"))
                .write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    @Override
    public void read(byte[] input) {
        Token<BlockTokenIdentifier> token;
        try {
            token = BoundedTokens.read(input);
        } catch (IOException e) {
            return;
        }
        BlockTokenIdentifier identifier = new BlockTokenIdentifier();
        try {
            identifier.readFields(new DataInputStream(new ByteArrayInputStream(token.getIdentifier())));
        } catch (IOException | RuntimeException e) {
            // Hadoop refuses it in either way, and BlockTokens takes both. An Error is a finding: it had no bound.
            return;
        }
        FuzzTarget.require(token.getIdentifier().length <= input.length, "more than was sent");
    }
}
