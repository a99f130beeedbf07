/**
 * What tiers are worth, by read times: blocks that climbed are compared with those of the control sample, which the same heat
 * asked for and which stayed. A tier from which reads are slower is left for a time. Pure and deterministic.
 *
 * <p>Imports: {@code common}, {@code conf}, {@code metrics}, {@code protocol}, {@code placement.heartbeat}.
 */
@NullMarked
package io.terrace.placement.control;

import org.jspecify.annotations.NullMarked;
