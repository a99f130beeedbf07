/**
 * The control messages by which a client is granted a resident block: messages, their codec, grants and refusals.
 *
 * <p>Imports: {@code common}.
 */
@NullMarked
package io.terrace.channel;

import org.jspecify.annotations.NullMarked;
