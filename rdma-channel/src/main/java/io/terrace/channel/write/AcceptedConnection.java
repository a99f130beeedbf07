package io.terrace.channel.write;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connection whose client asked to write. The listener that accepted it still counts it among its connections.
 *
 * @param channel blocking; whoever serves it closes it
 * @param early bytes that were read from the channel already
 * @param from the client's address, as stock shows it in its log
 * @param to this end's address
 * @param takesOffer whether the client takes an OFFER frame
 * @param ended to be called once, when the channel was closed: the listener counts it no more
 */
public record AcceptedConnection(
        SocketChannel channel, ByteBuffer early, String from, String to, boolean takesOffer, Runnable ended) {}
