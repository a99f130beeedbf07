package io.terrace.placementctl.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.protocol.MessageJson;
import org.apache.hadoop.thirdparty.protobuf.Message;

/** Messages of the admin protocol as {@link MessageJson}, for the terminal. */
public final class ProtoJson {

    public static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ProtoJson() {}

    static String text(ObjectNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values cannot be written", e);
        }
    }

    public static ObjectNode object(Message message) {
        return MessageJson.object(message);
    }
}
