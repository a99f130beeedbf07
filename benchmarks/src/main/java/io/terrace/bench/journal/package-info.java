/**
 * {@code bin/terrace bench journal}: what the journal beside the NameNode costs, and what it remembers.
 *
 * <p>Imports: {@code bench.measure}, {@code placement} and its sub-packages.
 */
@NullMarked
package io.terrace.bench.journal;

import org.jspecify.annotations.NullMarked;
