/**
 * Makes extents of replicas and carries out the orders of the placement service, within the rate limit.
 *
 * <p>Imports: {@code protocol}, {@code extent}, {@code replica}.
 */
@NullMarked
package io.terrace.datanode.move;

import org.jspecify.annotations.NullMarked;
