package io.terrace.bench.conformance;

/**
 * One part of a run that is divided between machines.
 *
 * @param index from 1
 * @param count shards in all
 */
record Shard(int index, int count) {
    static final Shard WHOLE = new Shard(1, 1);

    Shard {
        if (count < 1 || index < 1 || index > count) {
            throw new IllegalArgumentException("a shard is i/n with 1 <= i <= n, not " + index + "/" + count);
        }
    }

    /** Reads {@code i/n}. */
    static Shard parse(String text) {
        String[] parts = text.split("/", -1);
        try {
            if (parts.length == 2) {
                return new Shard(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a shard is i/n, not " + text, e);
        }
        throw new IllegalArgumentException("a shard is i/n, not " + text);
    }
}
