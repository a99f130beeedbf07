/**
 * The words and limits that all modules share: tiers, block identities, quotas, rate limits, threads.
 *
 * <p>Imports: the JDK and SLF4J alone.
 */
@NullMarked
package io.terrace.common;

import org.jspecify.annotations.NullMarked;
