/**
 * Checks block tokens and gives grants.
 *
 * <p>Imports: {@code channel}, {@code server}, {@code extent}, {@code heartbeat}.
 */
@NullMarked
package io.terrace.datanode.grant;

import org.jspecify.annotations.NullMarked;
