package io.terrace.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A user of the host, with the number of its first group. */
record UserAccount(String name, int uid, int gid) {

    /**
     * The user by name or number; null where nobody is called so. On the host itself the name may also come from a directory
     * service.
     */
    static @Nullable UserAccount find(HostFiles files, String nameOrNumber) {
        String passwd = files.text("/etc/passwd");
        UserAccount found = among(passwd, nameOrNumber);
        return found == null && files.isLive() ? among(getent(nameOrNumber), nameOrNumber) : found;
    }

    private static @Nullable UserAccount among(String passwd, String nameOrNumber) {
        return passwd.lines()
                .map(line -> line.split(":"))
                .filter(words -> words.length >= 4 && (words[0].equals(nameOrNumber) || words[2].equals(nameOrNumber)))
                .map(words -> new UserAccount(words[0], Integer.parseInt(words[2]), Integer.parseInt(words[3])))
                .findFirst()
                .orElse(null);
    }

    private static String getent(String nameOrNumber) {
        try {
            Process process = new ProcessBuilder("getent", "passwd", "--", nameOrNumber)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException noSuchCommand) {
            return "";
        }
    }
}
