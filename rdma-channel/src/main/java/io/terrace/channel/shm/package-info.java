/** The provider for processes of one host: control over a Unix socket, bytes through the extent's own file. */
@NullMarked
package io.terrace.channel.shm;

import org.jspecify.annotations.NullMarked;
