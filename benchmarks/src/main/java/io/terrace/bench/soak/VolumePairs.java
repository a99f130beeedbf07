package io.terrace.bench.soak;

import io.terrace.bench.faults.WrittenReplicas;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files that a move must not leave: finalised replicas of a block on two volumes of a DataNode, a data file or a meta file without
 * the other one, and what it copied below {@code tmp}. Moves go on meanwhile, so only what is there at each look counts. Not
 * thread-safe.
 */
final class VolumePairs {
    private static final Pattern FILE = Pattern.compile("(blk_\\d+)(_\\d+\\.meta)?");

    private final List<Path> datanodes;
    private final Predicate<Path> ofStock;
    private Optional<Set<String>> left = Optional.empty();

    /**
     * @param datanodes the directory of each DataNode that has its volumes
     * @param ofStock files below {@code tmp/subdir} that stock HDFS leaves there
     */
    VolumePairs(List<Path> datanodes, Predicate<Path> ofStock) {
        this.datanodes = List.copyOf(datanodes);
        this.ofStock = ofStock;
    }

    /** What was there at each look until now; empty if nothing is left. */
    Optional<String> look() throws IOException {
        Set<String> now = new TreeSet<>();
        for (Path datanode : datanodes) {
            look(datanode, now);
        }
        left.ifPresent(now::retainAll);
        left = Optional.of(now);
        return now.stream().findFirst();
    }

    /** What the last look left. */
    Set<String> left() {
        return left.orElse(Set.of());
    }

    private void look(Path datanode, Set<String> found) throws IOException {
        Map<String, Set<Path>> data = new HashMap<>();
        Map<String, Set<Path>> metas = new HashMap<>();
        for (Path file : LiveFiles.below(datanode)) {
            Matcher matcher = FILE.matcher(file.getFileName().toString());
            if (!matcher.matches()) {
                continue;
            }
            if (file.toString().contains("/finalized/")) {
                (matcher.group(2) == null ? data : metas)
                        .computeIfAbsent(matcher.group(1), fresh -> new TreeSet<>())
                        .add(file.resolveSibling(matcher.group(1)));
            } else if (WrittenReplicas.isCopy(file) && !ofStock.test(file)) {
                found.add(file + " is left of a move");
            }
        }
        data.forEach((block, files) -> {
            if (files.size() > 1) {
                found.add(block + " is on several volumes: " + files);
            }
            alone(files, metas.getOrDefault(block, Set.of())).forEach(file -> found.add(file + " has no meta file"));
        });
        metas.forEach((block, files) -> alone(files, data.getOrDefault(block, Set.of()))
                .forEach(file -> found.add(file + " has a meta file only")));
    }

    private static Set<Path> alone(Set<Path> files, Set<Path> others) {
        Set<Path> alone = new TreeSet<>(files);
        alone.removeAll(others);
        return alone;
    }
}
