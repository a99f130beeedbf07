package io.terrace.placement.accesslog;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that stand for addresses of hosts and UUIDs of DataNodes: the beginning of a SHA-256 over a salt and the name. So they
 * are the same after a restart, and whoever has the log alone cannot try names. The salt is a file beside the log, for its owner
 * only. Thread-safe; remembers {@value #REMEMBERED} numbers and then begins anew.
 */
final class HostNumbers {

    static final int REMEMBERED = 32_768;
    /** Of a host or DataNode that is not known. */
    static final long UNKNOWN = 0;

    static final String SALT_FILE = "salt";

    private static final int SALT_BYTES = 16;
    private static final int NUMBER_BYTES = 6;

    private final byte[] salt;
    private final ConcurrentHashMap<String, Long> numbers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, String> names = new ConcurrentHashMap<>();

    private HostNumbers(byte[] salt) {
        this.salt = salt;
    }

    /** With the salt of a directory, which is made if there is none. */
    static HostNumbers open(Path dir) throws IOException {
        Path file = dir.resolve(SALT_FILE);
        byte[] salt = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        if (salt.length < SALT_BYTES) {
            salt = new byte[SALT_BYTES];
            new SecureRandom().nextBytes(salt);
            Files.deleteIfExists(file);
            try (OutputStream out = Segments.createPlain(file)) {
                out.write(salt);
            }
        }
        return new HostNumbers(salt);
    }

    /** Above {@link #UNKNOWN}. */
    long of(String name) {
        Long known = numbers.get(name);
        if (known != null) {
            return known;
        }
        if (numbers.size() >= REMEMBERED) {
            numbers.clear();
            names.clear();
        }
        long number = number(name);
        numbers.put(name, number);
        names.put(number, name);
        return number;
    }

    /** The name of a number that was made lately. */
    @Nullable
    String name(long number) {
        return names.get(number);
    }

    private long number(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(salt);
            byte[] hash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
            long number = 0;
            for (int i = 0; i < NUMBER_BYTES; i++) {
                number = number << 8 | hash[i] & 0xff;
            }
            return Math.max(UNKNOWN + 1, number);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
