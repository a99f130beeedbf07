package io.terrace.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The NameNode's maps in memory: every candidate is fit unless said otherwise. */
final class FakeNames implements NameView {

    final Map<Long, Verdict> verdicts = new HashMap<>();
    final Map<Long, List<Located>> files = new HashMap<>();
    final Map<Long, Named> named = new HashMap<>();
    int looks;
    int mostInOneLook;

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        looks++;
        mostInOneLook = Math.max(mostInOneLook, candidates.size());
        List<Verdict> answers = new ArrayList<>();
        for (Candidate candidate : candidates) {
            answers.add(verdicts.getOrDefault(candidate.block().id(), Verdict.FIT));
        }
        return answers;
    }

    @Override
    public List<Named> names(List<Long> blocks) {
        mostInOneLook = Math.max(mostInOneLook, blocks.size());
        List<Named> names = new ArrayList<>();
        blocks.forEach(block -> names.add(named.get(block)));
        return names;
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return inodes.stream()
                .flatMap(inode -> files.getOrDefault(inode, List.of()).stream())
                .limit(limit)
                .toList();
    }
}
