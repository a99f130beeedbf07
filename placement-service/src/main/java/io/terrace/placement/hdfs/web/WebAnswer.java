package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import javax.servlet.http.HttpServletResponse;

/**
 * An answer to a request.
 *
 * @param status of HTTP
 */
record WebAnswer(int status, String contentType, byte[] body) {

    /** Escapes what is not ASCII, so that names of any characters arrive as they are. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final String JSON = "application/json; charset=utf-8";

    static WebAnswer json(byte[] body) {
        return new WebAnswer(HttpServletResponse.SC_OK, JSON, body);
    }

    static WebAnswer json(JsonNode body) {
        return json(bytes(body));
    }

    static WebAnswer error(int status, String message) {
        return new WebAnswer(
                status, JSON, bytes(JsonNodeFactory.instance.objectNode().put("error", message)));
    }

    static byte[] bytes(JsonNode json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values cannot be written", e);
        }
    }

    void send(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        response.setContentType(contentType);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
