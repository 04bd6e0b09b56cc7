package dev.millrace.conformance.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * What a client sends on one connection: bytes, the places at which they are cut into pieces, and the end of the
 * client's output. Immutable.
 *
 * @param bytes what is sent, owned by this input
 * @param cuts in ascending order of their positions, which lie inside the bytes
 * @param endsAtOnce whether the end follows the last byte at once, rather than when the server has read all and rests
 */
record Input(byte[] bytes, List<Cut> cuts, boolean endsAtOnce) {
    /**
     * The place at which another piece begins.
     *
     * @param position of the first byte behind the cut
     * @param atRest whether that byte is sent when the server has read all before it and waits for more, rather than at once
     */
    record Cut(int position, boolean atRest) {}

    Input {
        cuts = List.copyOf(cuts);
    }

    /** The same bytes in one piece. */
    Input merged() {
        return new Input(bytes, List.of(), endsAtOnce);
    }

    /** The same with each piece, and the end, sent when the server rests. */
    Input rested() {
        return new Input(
                bytes, cuts.stream().map(cut -> new Cut(cut.position(), true)).toList(), false);
    }

    /** The same without the bytes of an interval. Cuts inside it move to its beginning. */
    Input without(int begin, int end) {
        byte[] left = new byte[bytes.length - (end - begin)];
        System.arraycopy(bytes, 0, left, 0, begin);
        System.arraycopy(bytes, end, left, begin, bytes.length - end);
        List<Cut> moved = new ArrayList<>();
        int last = 0;
        for (Cut cut : cuts) {
            int position = cut.position() <= begin ? cut.position() : Math.max(begin, cut.position() - (end - begin));
            if (position > last && position < left.length) {
                moved.add(new Cut(position, cut.atRest()));
                last = position;
            }
        }
        return new Input(left, moved, endsAtOnce);
    }

    /** The same with other cuts. */
    Input withCuts(List<Cut> others) {
        return new Input(bytes, others, endsAtOnce);
    }
}
