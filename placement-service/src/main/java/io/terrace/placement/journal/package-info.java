/**
 * The journal beside the NameNode: heat and moves, in a RocksDB of this process, written and read by a thread of its own.
 *
 * <p>Imports: {@code common}, {@code conf}, {@code metrics}, {@code protocol}, {@code placement.state}; RocksDB in the classes
 * whose names begin with it, alone.
 */
@NullMarked
package io.terrace.placement.journal;

import org.jspecify.annotations.NullMarked;
