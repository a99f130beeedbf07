package io.terrace.bench.fuzz;

/** All targets, and who writes what they read. */
enum FuzzTargets {
    GRANT_MESSAGES("clients, to a DataNode, and a DataNode, to clients"),
    TCP_REQUESTS("clients on other hosts, to a DataNode"),
    WRITE_FRAMES("clients that write, DataNodes of a pipeline"),
    VERBS_CONTROL("peers over RDMA"),
    TOKENS("clients, to a DataNode"),
    HEARTBEATS("DataNodes, to the placement service"),
    POLICY_FILE("operators"),
    POLICY_HISTORY("whoever may set an extended attribute of the root"),
    OPERATOR_STATE("whoever may set an extended attribute of the root"),
    ANNOTATIONS("owners of files and directories"),
    TRACE("whoever hands over a trace"),
    ACCESS_LOG("the NameNode, to placementctl");

    private final String writers;

    FuzzTargets(String writers) {
        this.writers = writers;
    }

    /** Who may send what it reads. */
    String writers() {
        return writers;
    }

    FuzzTarget make() {
        return switch (this) {
            case GRANT_MESSAGES -> new GrantMessages();
            case TCP_REQUESTS -> new TcpRequests();
            case WRITE_FRAMES -> new WriteFrames();
            case VERBS_CONTROL -> new VerbsControl();
            case TOKENS -> new Tokens();
            case HEARTBEATS -> new Heartbeats();
            case POLICY_FILE -> new PolicyFiles();
            case POLICY_HISTORY -> new PolicyHistories();
            case OPERATOR_STATE -> new OperatorStates();
            case ANNOTATIONS -> new Annotations();
            case TRACE -> new Traces();
            case ACCESS_LOG -> new AccessLogs();
        };
    }
}
