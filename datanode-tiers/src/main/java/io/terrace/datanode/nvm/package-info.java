/**
 * Replicas on NVM volumes as extents, without a copy.
 *
 * <p>Imports: {@code conf}, {@code protocol}, {@code shm}, {@code extent}, {@code replica}, {@code move}.
 */
@NullMarked
package io.terrace.datanode.nvm;

import org.jspecify.annotations.NullMarked;
