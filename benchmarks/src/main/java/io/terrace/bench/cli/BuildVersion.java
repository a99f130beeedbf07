package io.terrace.bench.cli;

import io.terrace.compat.Release;
import picocli.CommandLine.IVersionProvider;

/** The version and the commit in the jar's manifest, with the JDK that runs it. */
final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"terrace " + Release.of(BuildVersion.class) + ", JDK " + Runtime.version()};
    }
}
