package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilePathTest {

    @Test
    void path_isAFieldOfText() {
        byte[] request = FilePath.addTo(new byte[] {1, 2}, "/a\u00e9");
        assertThat(HexFormat.of().formatHex(request)).isEqualTo("0102" + "cab503" + "04" + "2f61c3a9");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, FilePath.MAX_BYTES})
    void path_isReadAsProtobufReadsIt(int length) throws Exception {
        String path = "/" + "p".repeat(length - 1);
        UnknownFieldSet fields = UnknownFieldSet.parseFrom(FilePath.addTo(new byte[0], path));
        assertThat(fields.getField(FilePath.FIELD).getLengthDelimitedList())
                .containsExactly(ByteString.copyFrom(path, StandardCharsets.UTF_8));
    }

    @Test
    void path_thatIsTooLong_isLeftOut() {
        byte[] request = {1, 2};
        assertThat(FilePath.addTo(request, "/" + "p".repeat(FilePath.MAX_BYTES)))
                .isSameAs(request);
    }

    @Test
    void field_isNoneOfHadoops() {
        assertThat(OpWriteBlockProto.getDescriptor().findFieldByNumber(FilePath.FIELD))
                .isNull();
    }
}
