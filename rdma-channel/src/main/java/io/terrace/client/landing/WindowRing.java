package io.terrace.client.landing;

import java.util.ArrayDeque;

/** Room in a landing window, given one after another and given back in the same order; a piece never wraps around. */
final class WindowRing {
    private record Piece(long number, int at, int end) {}

    private final int windowBytes;
    private final ArrayDeque<Piece> used = new ArrayDeque<>();

    WindowRing(int windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** Where so many bytes have room now; negative when they have none. */
    int find(int bytes) {
        Piece first = used.peekFirst();
        Piece last = used.peekLast();
        if (first == null || last == null) {
            return bytes <= windowBytes ? 0 : -1;
        }
        if (last.end > first.at) {
            if (bytes <= windowBytes - last.end) {
                return last.end;
            }
            return bytes <= first.at ? 0 : -1;
        }
        return bytes <= first.at - last.end ? last.end : -1;
    }

    /** Takes room that {@link #find} found. */
    void take(long number, int at, int bytes) {
        used.addLast(new Piece(number, at, at + bytes));
    }

    /** Gives back the room of the frames up to this one. */
    void give(long number) {
        for (Piece first = used.peekFirst(); first != null && first.number <= number; first = used.peekFirst()) {
            used.removeFirst();
        }
    }

    boolean isEmpty() {
        return used.isEmpty();
    }
}
