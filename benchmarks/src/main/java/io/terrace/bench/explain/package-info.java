/** {@code bin/terrace test explain}: what {@code placementctl explain} says of blocks of a live cluster, and promotions into full memory. */
@NullMarked
package io.terrace.bench.explain;

import org.jspecify.annotations.NullMarked;
