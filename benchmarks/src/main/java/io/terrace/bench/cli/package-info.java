/**
 * The commands of {@code bin/terrace}.
 *
 * <p>Imports: all packages of {@code bench}.
 */
@NullMarked
package io.terrace.bench.cli;

import org.jspecify.annotations.NullMarked;
