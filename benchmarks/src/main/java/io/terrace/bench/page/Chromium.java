package io.terrace.bench.page;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The programs {@code chromium} and {@code chromedriver}, which must be of one version. */
record Chromium(Path browser, Path driver) {
    /** In a directory, or on the PATH; empty if they are not there. */
    static Optional<Chromium> find(@Nullable Path directory) {
        Stream<Path> places = directory == null
                ? Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of)
                : Stream.of(directory);
        return places.map(place -> new Chromium(place.resolve("chromium"), place.resolve("chromedriver")))
                .filter(programs -> Files.isExecutable(programs.browser) && Files.isExecutable(programs.driver))
                .findFirst();
    }
}
