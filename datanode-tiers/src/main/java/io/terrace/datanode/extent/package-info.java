/**
 * The life of a tier's extents and of their grants: allocate, publish, retire, free.
 *
 * <p>Imports: {@code common}, {@code metrics}, {@code channel}, {@code server}, {@code shm}.
 */
@NullMarked
package io.terrace.datanode.extent;

import org.jspecify.annotations.NullMarked;
