/**
 * Why a block is where it is, in words: one state, one sentence that says why, one that says what would change it, and the
 * tables below it. {@code placementctl explain} and the page show the same.
 *
 * <p>Imports: {@code placement.report} and what it imports.
 */
@NullMarked
package io.terrace.placement.explain;

import org.jspecify.annotations.NullMarked;
