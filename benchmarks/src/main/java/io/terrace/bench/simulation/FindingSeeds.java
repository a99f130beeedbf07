package io.terrace.bench.simulation;

import io.terrace.bench.simulation.fault.Mutation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.stream.LongStream;

/** In which sequence seeds are tried to find a mutation: the one that found it last comes first, if it is known. */
final class FindingSeeds {

    private static final String RESOURCE = "/simulation/finding-seeds.properties";

    private final Properties lastByTitle = new Properties();

    FindingSeeds() {
        try (InputStream in = FindingSeeds.class.getResourceAsStream(RESOURCE)) {
            lastByTitle.load(Objects.requireNonNull(in, RESOURCE));
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE + " cannot be read", e);
        }
    }

    Iterable<String> titles() {
        return lastByTitle.stringPropertyNames();
    }

    OptionalLong last(Mutation mutation) {
        String seed = lastByTitle.getProperty(mutation.title());
        return seed == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(seed));
    }

    /** Each of so many seeds once. */
    static LongStream sequence(long first, int count, OptionalLong last) {
        LongStream all = LongStream.range(first, first + count);
        if (last.isEmpty() || last.getAsLong() < first || last.getAsLong() >= first + count) {
            return all;
        }
        long likely = last.getAsLong();
        return LongStream.concat(LongStream.of(likely), all.filter(seed -> seed != likely));
    }
}
