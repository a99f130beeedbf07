/**
 * The commands of {@code placementctl}, one class a verb.
 *
 * <p>Imports: its sub-packages, {@code conf}, {@code policy}, {@code placement.policy} and what it imports; nothing of the
 * NameNode.
 */
@NullMarked
package io.terrace.placementctl;

import org.jspecify.annotations.NullMarked;
