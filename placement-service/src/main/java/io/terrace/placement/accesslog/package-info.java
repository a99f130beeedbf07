/** The log of accesses: what simulations of policies replay. */
@NullMarked
package io.terrace.placement.accesslog;

import org.jspecify.annotations.NullMarked;
