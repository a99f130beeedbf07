/** What the daemons and clients of a soak logged: moves, recoveries, errors. */
@NullMarked
package io.terrace.bench.soak.logs;

import org.jspecify.annotations.NullMarked;
