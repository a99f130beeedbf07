/**
 * Every setting of Terrace: key, type, range, unit, default and text, in one place.
 *
 * <p>Imports: Hadoop's Configuration.
 */
@NullMarked
package io.terrace.conf;

import org.jspecify.annotations.NullMarked;
