/**
 * Reads of blocks in the memory of other hosts, over tcp or RDMA.
 *
 * <p>Imports: {@code client} and what it imports, {@code tcp}, {@code verbs}.
 */
@NullMarked
package io.terrace.client.remote;

import org.jspecify.annotations.NullMarked;
