package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.AnnotationsRequestProto;
import io.terrace.protocol.proto.AdminProtos.AnnotationsResponseProto;
import io.terrace.protocol.proto.AdminProtos.IgnoredAnnotationProto;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code placementctl annotate}. Sets extended attributes as {@code hdfs dfs -setfattr} does, with the caller's rights. */
@Command(
        name = "annotate",
        description =
                "Sets or removes annotations of a file or directory, which hold for all below it. Needs write access to"
                        + " it; with --trusted, the superuser.",
        mixinStandardHelpOptions = true)
final class AnnotateCommand extends ClusterCommand {

    @Parameters(index = "0", paramLabel = "PATH", description = "An absolute path of a file or directory.")
    String path;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "WORD=VALUE",
            description = "E.g. tiers=ssd..disk. Words: place, weight, pool, tiers, replicas, keep, write, satisfy.")
    List<String> given = List.of();

    @Option(
            names = "--remove",
            paramLabel = "WORD",
            split = ",",
            description = "Removes the annotation; of several, separated by commas.")
    List<String> removed = List.of();

    @Option(names = "--trusted", description = "Annotations of the superuser, which go before the policy file.")
    boolean trusted;

    @Option(names = "--user", description = "Annotations of users, which go after the policy file. The default.")
    boolean user;

    @Override
    public Integer call() throws Refused {
        if (trusted && user) {
            throw cluster().usage("--trusted and --user exclude each other");
        }
        requireAbsolute(path);
        Scope scope = trusted ? Scope.TRUSTED : Scope.USER;
        Map<AnnotationWord, String> values = values();
        Set<AnnotationWord> toRemove = EnumSet.noneOf(AnnotationWord.class);
        removed.forEach(word -> toRemove.add(word(word)));
        if (values.isEmpty() && toRemove.isEmpty()) {
            throw cluster().usage("nothing to set or remove; give WORD=VALUE, e.g. tiers=ssd..disk, or --remove WORD");
        }
        for (AnnotationWord word : toRemove) {
            if (values.containsKey(word)) {
                throw cluster().usage(word.word() + " is to be set and removed");
            }
        }
        return apply(scope, values, toRemove);
    }

    private Map<AnnotationWord, String> values() {
        Map<AnnotationWord, String> values = new EnumMap<>(AnnotationWord.class);
        for (String one : given) {
            int equals = one.indexOf('=');
            if (equals < 0) {
                throw cluster().usage("'" + one + "' is not WORD=VALUE, e.g. tiers=ssd..disk");
            }
            AnnotationWord word = word(one.substring(0, equals));
            String value = one.substring(equals + 1).strip();
            String mistake = word.mistake(value);
            if (mistake != null) {
                throw cluster().usage(mistake);
            }
            if (values.put(word, value) != null) {
                throw cluster().usage(word.word() + " is given twice");
            }
        }
        return values;
    }

    private AnnotationWord word(String text) {
        try {
            return AnnotationWord.of(text.strip());
        } catch (IllegalArgumentException e) {
            throw cluster().usage(String.valueOf(e.getMessage()));
        }
    }

    private int apply(Scope scope, Map<AnnotationWord, String> values, Set<AnnotationWord> toRemove) throws Refused {
        Printer printer = new Printer(spec);
        ObjectNode json = ProtoJson.MAPPER.createObjectNode().put("path", path);
        ObjectNode set = json.putObject("set");
        var gone = json.putArray("removed");
        Configuration conf = cluster().configuration();
        try (FileSystem fs = open(conf)) {
            Path target = new Path(path);
            List<String> there = toRemove.isEmpty() ? List.of() : fs.listXAttrs(target);
            for (AnnotationWord word : toRemove) {
                String attribute = scope.prefix() + word.word();
                if (there.contains(attribute)) {
                    fs.removeXAttr(target, attribute);
                    gone.add(attribute);
                    tell(printer, attribute + " removed from " + Table.printable(path));
                } else {
                    tell(printer, printer.doubtful(attribute + " is not set on " + Table.printable(path)));
                }
            }
            for (Map.Entry<AnnotationWord, String> entry : values.entrySet()) {
                String attribute = scope.prefix() + entry.getKey().word();
                fs.setXAttr(target, attribute, entry.getValue().getBytes(StandardCharsets.UTF_8));
                set.put(attribute, entry.getValue());
                tell(printer, attribute + " of " + Table.printable(path) + " is " + entry.getValue());
            }
        } catch (IOException | UnsupportedOperationException e) {
            if (cluster().json && !(set.isEmpty() && gone.isEmpty())) {
                printer.json(json);
            }
            throw new Refused("annotations of " + path + " were not changed as asked: " + firstLine(e)
                    + "; see what holds with placementctl annotations");
        }
        if (!set.isEmpty()) {
            tellWhatIsIgnored(printer, json, values.keySet(), scope);
        }
        if (cluster().json) {
            printer.json(json);
        }
        return set.isEmpty() && gone.isEmpty() ? ExitCode.REFUSED : ExitCode.OK;
    }

    /** What was set holds only as far as rules allow, which the service knows. */
    private void tellWhatIsIgnored(Printer printer, ObjectNode json, Set<AnnotationWord> words, Scope scope) {
        List<String> attributes =
                words.stream().map(word -> scope.prefix() + word.word()).toList();
        try (AdminClient client = cluster().connect()) {
            AnnotationsResponseProto answer = client.active(service -> service.annotations(
                    null, AnnotationsRequestProto.newBuilder().setPath(path).build()));
            var ignored = json.putArray("ignored");
            for (IgnoredAnnotationProto one : answer.getIgnoredList()) {
                if (one.getPath().equals(answer.getPath()) && attributes.contains(one.getAttribute())) {
                    ignored.add(ProtoJson.object(one));
                    Table.wrapped(AnnotationsCommand.text(one))
                            .forEach(line -> tell(printer, printer.doubtful("  " + line)));
                }
            }
        } catch (Refused | Unreachable | ParameterException e) {
            Table.wrapped("Whether they hold is not known: " + e.getMessage())
                    .forEach(line -> tell(printer, printer.doubtful(line)));
        }
    }

    private void tell(Printer printer, String line) {
        if (!cluster().json) {
            printer.line(line);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
    }
}
