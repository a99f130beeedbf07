/**
 * What the service knows: DataNodes, residents, heat, moves, back-off. It decides nothing.
 *
 * <p>Imports: {@code protocol}, {@code placement.heartbeat}, {@code placement.policyfile}, {@code policy.api}.
 */
@NullMarked
package io.terrace.placement.state;

import org.jspecify.annotations.NullMarked;
