/**
 * Copies in memory that are filled while clients write their blocks, and are served from the moment a block is finalised.
 *
 * <p>Imports: {@code common}, {@code metrics}, {@code protocol}, {@code extent}, {@code replica}, {@code move}.
 */
@NullMarked
package io.terrace.datanode.writethrough;

import org.jspecify.annotations.NullMarked;
