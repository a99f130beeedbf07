package io.terrace.bench.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a cluster's directory remembers of it, as JSON, so that {@code up} can start it again as it was.
 *
 * @param spec what the user asked for
 * @param ports what was drawn for it
 */
public record ClusterFile(ClusterSpec spec, Ports ports) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** The file of this directory, empty if it holds no cluster. */
    public static Optional<ClusterFile> read(ClusterLayout layout) throws IOException {
        Path file = layout.clusterFile();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(file.toFile(), ClusterFile.class));
        } catch (JsonProcessingException e) {
            throw new ClusterException(
                    file + " is not the description of a cluster: remove " + layout.dir() + " and bring it up anew", e);
        }
    }

    void write(ClusterLayout layout) throws IOException {
        Files.createDirectories(layout.dir());
        JSON.writeValue(layout.clusterFile().toFile(), this);
    }
}
