/**
 * The commands of {@code placementctl}, one class a verb.
 *
 * <p>Imports: its sub-packages, {@code conf}; nothing of the NameNode.
 */
@NullMarked
package io.terrace.placementctl;

import org.jspecify.annotations.NullMarked;
