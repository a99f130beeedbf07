package io.terrace.bench.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The {@code --json} file of a benchmark: one flat object, figure to number. */
public final class ResultsFile {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ResultsFile() {}

    public static void write(Path file, Map<String, Number> figures) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, JSON.writeValueAsString(figures) + "\n");
    }

    /** What {@link #write} wrote, in the file's order. */
    public static Map<String, Double> read(Path file) throws IOException {
        try {
            return JSON.readValue(file.toFile(), new TypeReference<LinkedHashMap<String, Double>>() {});
        } catch (JsonProcessingException e) {
            throw new ClusterException(file + " is not one flat object of numbers: " + e.getOriginalMessage(), e);
        }
    }
}
