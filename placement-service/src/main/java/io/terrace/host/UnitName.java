package io.terrace.host;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Names of systemd's units, as {@code systemd-escape} writes them. */
final class UnitName {

    private UnitName() {}

    /** The unit that mounts this directory; systemd refuses any other name. */
    static String ofMount(Path directory) {
        String path = directory.normalize().toString().substring(1);
        StringBuilder name = new StringBuilder(path.isEmpty() ? "-" : "");
        for (byte letter : path.getBytes(StandardCharsets.UTF_8)) {
            if (letter == '/') {
                name.append('-');
            } else if (isPlain(letter) && !(letter == '.' && name.isEmpty())) {
                name.append((char) letter);
            } else {
                name.append(String.format("\\x%02x", letter));
            }
        }
        return name + ".mount";
    }

    private static boolean isPlain(byte letter) {
        return letter >= 'a' && letter <= 'z'
                || letter >= 'A' && letter <= 'Z'
                || letter >= '0' && letter <= '9'
                || letter == ':'
                || letter == '_'
                || letter == '.';
    }
}
