package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** What commands say of themselves are format strings: with a bare % the manual pages end there, without an error of the build. */
class CommandDescriptionTest {

    static Stream<CommandSpec> commands() {
        return below(PlacementCtl.commandLine());
    }

    private static Stream<CommandSpec> below(CommandLine line) {
        return Stream.concat(
                Stream.of(line.getCommandSpec()),
                line.getSubcommands().values().stream().flatMap(CommandDescriptionTest::below));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void description_ofACommand_canBeFormatted(CommandSpec command) {
        Stream<String> ofArguments =
                command.args().stream().map(ArgSpec::description).flatMap(Arrays::stream);
        assertThat(Stream.concat(Arrays.stream(command.usageMessage().description()), ofArguments))
                .allSatisfy(text -> assertThat(String.format(text)).isNotNull());
    }
}
