/**
 * The memory tier on tmpfs: its directory, leftovers of an earlier process, scrub, pins and housekeeping.
 *
 * <p>Imports: {@code conf}, {@code protocol}, {@code shm}, {@code extent}, {@code replica}, {@code move}, {@code writethrough}.
 */
@NullMarked
package io.terrace.datanode.memory;

import org.jspecify.annotations.NullMarked;
