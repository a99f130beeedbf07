package io.terrace.placementctl.policy;

import io.terrace.common.FailureReason;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A policy file that an operator named. */
final class PolicyText {

    private PolicyText() {}

    static String read(Path file) throws Refused {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(PolicyFile.MOST_BYTES + 1), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new Refused("there is no file " + file);
        } catch (IOException e) {
            throw new Refused(file + " cannot be read: " + FailureReason.of(e));
        }
    }

    /** @throws Refused with every mistake on a line of its own */
    static PolicySpec checked(Path file) throws Refused {
        String text = read(file);
        try {
            return PolicyFile.read(file.toString(), text);
        } catch (PolicyFileException e) {
            throw refused(e);
        }
    }

    /** What a service has in force, which an earlier build may have taken. */
    static PolicySpec inForce(String text) throws Refused {
        try {
            return PolicyFile.readStored("the policy in force", text);
        } catch (PolicyFileException e) {
            throw refused(e);
        }
    }

    private static Refused refused(PolicyFileException e) {
        return new Refused("the policy file is not right:\n  " + String.join("\n  ", e.errors()));
    }
}
