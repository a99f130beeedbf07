/**
 * What processes of one host share as files: the slot table, extent files, the socket directory and one-time links.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}.
 */
@NullMarked
package io.terrace.channel.shm;

import org.jspecify.annotations.NullMarked;
