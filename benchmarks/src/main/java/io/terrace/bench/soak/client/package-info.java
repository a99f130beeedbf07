/**
 * The processes that a soak test reads and writes with: each writer keeps a journal of what it was about to do and what has
 * returned, and all readers compare with all journals.
 *
 * <p>Imports: {@code bench.load}, {@code client} for figures, Hadoop's client.
 */
@NullMarked
package io.terrace.bench.soak.client;

import org.jspecify.annotations.NullMarked;
