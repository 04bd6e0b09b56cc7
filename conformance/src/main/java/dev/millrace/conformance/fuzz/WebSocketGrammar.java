package dev.millrace.conformance.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Draws conversations of WebSocket (RFC 6455): an upgrade, and frames of all kinds, some of which break a rule. */
final class WebSocketGrammar {
    private static final String UPGRADE =
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
    private static final int[] OPCODES = {1, 1, 1, 2, 2, 2, 0, 9, 9, 10, 8, 3, 11};
    private static final int[] LENGTHS = {0, 1, 5, 20, 124, 125, 126, 127, 200, 1000};
    private static final String[] CLOSES = {
        "", "\u0003\u00e8", "\u0003\u00e8bye", "\u0003\u00ed", "\u0000\u0001", "x", "\u0003\u00e8\u00ff"
    };

    private final SplittableRandom random;

    WebSocketGrammar(SplittableRandom random) {
        this.random = random;
    }

    byte[] conversation() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String extension = random.nextInt(6) == 0 ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "";
        bytes.writeBytes((UPGRADE + extension + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        boolean isFragmented = false;
        for (int i = random.nextInt(8); i > 0; i--) {
            int opcode = OPCODES[random.nextInt(OPCODES.length)];
            if (random.nextInt(10) != 0 && opcode < 8) {
                // Most fragments are in the right order.
                opcode = isFragmented ? 0 : opcode == 0 ? 1 : opcode;
            }
            boolean isControl = opcode >= 8;
            boolean isLast = isControl ? random.nextInt(20) != 0 : random.nextInt(3) != 0;
            isFragmented = isControl ? isFragmented : !isLast;
            frame(bytes, isLast, opcode);
        }
        return bytes.toByteArray();
    }

    private void frame(ByteArrayOutputStream bytes, boolean isLast, int opcode) {
        byte[] payload = payload(opcode);
        int reserved = random.nextInt(30) == 0 ? 1 << (4 + random.nextInt(3)) : 0;
        boolean isMasked = random.nextInt(30) != 0;
        bytes.write((isLast ? 0x80 : 0) | reserved | opcode);
        int mask = isMasked ? 0x80 : 0;
        if (payload.length < 126 && random.nextInt(30) != 0) {
            bytes.write(mask | payload.length);
        } else {
            bytes.write(mask | 126);
            bytes.write(payload.length >> 8);
            bytes.write(payload.length);
        }
        byte[] key = new byte[4];
        if (isMasked) {
            random.nextBytes(key);
            bytes.writeBytes(key);
        }
        for (int i = 0; i < payload.length; i++) {
            bytes.write(payload[i] ^ key[i % 4]);
        }
    }

    private byte[] payload(int opcode) {
        if (opcode == 8) {
            return CLOSES[random.nextInt(CLOSES.length)].getBytes(StandardCharsets.ISO_8859_1);
        }
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        if (opcode > 8 && random.nextInt(8) != 0) {
            length = Math.min(length, 125);
        }
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            // Some bytes are not UTF-8, which text must be.
            payload[i] = (byte) (random.nextInt(400) == 0 ? 0xff : 'a' + i % 26);
        }
        return payload;
    }
}
