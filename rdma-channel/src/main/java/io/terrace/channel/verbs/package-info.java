/**
 * The provider for hosts with RDMA: InfiniBand, RoCE, iWARP, or soft-RoCE for tests. Written against DiSNI's API, beneath
 * which stands {@code rdmacore} or, where it is installed and chosen, libdisni. Nothing here is loaded unless the provider
 * is asked for; a missing library is a LinkageError, to be taken as "no verbs here".
 */
@NullMarked
package io.terrace.channel.verbs;

import org.jspecify.annotations.NullMarked;
