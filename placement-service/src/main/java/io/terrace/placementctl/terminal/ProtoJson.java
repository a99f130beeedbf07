package io.terrace.placementctl.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.protocol.MessageJson;
import org.apache.hadoop.thirdparty.protobuf.Message;

/** Messages of the admin protocol as {@link MessageJson}, for the terminal. */
public final class ProtoJson {

    /** Other letters than ASCII are escaped: names in JSON are whole whatever the terminal or file can write. */
    public static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    private ProtoJson() {}

    static String text(ObjectNode node) {
        return text(MAPPER.writer(), node);
    }

    /** On one line. */
    static String line(ObjectNode node) {
        return text(MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT), node);
    }

    private static String text(ObjectWriter writer, ObjectNode node) {
        try {
            return writer.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values cannot be written", e);
        }
    }

    public static ObjectNode object(Message message) {
        return MessageJson.object(message);
    }
}
