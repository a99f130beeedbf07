package io.terrace.bench.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest, with the JDK that runs it. */
final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        @Nullable String version = BuildVersion.class.getPackage().getImplementationVersion();
        return new String[] {
            "terrace " + (version == null ? "(not from a jar)" : version) + ", JDK " + Runtime.version()
        };
    }
}
