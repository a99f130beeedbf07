package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.hdfs.admin.WebQuestions;
import io.terrace.protocol.MessageJson;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.common.JspHelper;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;

/** What the page asks for, as JSON. Paths are for users with a name, with the rights that they have by RPC. Thread-safe. */
final class PageApi {

    private static final int HOTTEST_BLOCKS = 100;

    private static final String NOBODY =
            "paths are shown to users with a name alone: this web server does not say who you are, or did not check it; log in as its"
                    + " authentication asks for (hadoop.http.authentication.type), or use placementctl";

    private final Configuration conf;
    private final SharedSnapshot shared;
    private final ClusterHistory history;
    private final WebQuestions questions;
    private final List<String> otherPages;

    /** @param otherPages addresses of this page on the other NameNodes of the namespace */
    PageApi(
            Configuration conf,
            SharedSnapshot shared,
            ClusterHistory history,
            WebQuestions questions,
            List<String> otherPages) {
        this.conf = conf;
        this.shared = shared;
        this.history = history;
        this.questions = questions;
        this.otherPages = List.copyOf(otherPages);
    }

    WebAnswer answer(String name, ServletContext context, HttpServletRequest request) {
        try {
            return switch (name) {
                case "viewer" -> viewer(user(context, request, Set.of()));
                case "status" -> {
                    WebParameters.of(request, Set.of());
                    yield shared.latest().status();
                }
                case "cluster" -> shared.latest().clusterFor(user(context, request, Set.of()) != null);
                case "history" -> WebAnswer.json(
                        history.json(after(WebParameters.of(request, Set.of("after"))), Time.now()));
                case "top" -> WebAnswer.json(MessageJson.object(
                        questions.top(named(user(context, request, Set.of())), address(request), HOTTEST_BLOCKS)));
                case "pins" -> WebAnswer.json(
                        MessageJson.object(questions.pins(named(user(context, request, Set.of())), address(request))));
                case "explain" -> explain(context, request);
                default -> WebAnswer.error(HttpServletResponse.SC_NOT_FOUND, "there is no such answer");
            };
        } catch (WebException e) {
            return WebAnswer.error(e.status(), text(e));
        } catch (AccessControlException e) {
            return WebAnswer.error(HttpServletResponse.SC_FORBIDDEN, text(e));
        } catch (FileNotFoundException e) {
            return WebAnswer.error(HttpServletResponse.SC_NOT_FOUND, text(e));
        } catch (StandbyException e) {
            return unavailable("this NameNode is a standby; ask the active one");
        } catch (RetriableException e) {
            return unavailable(text(e));
        } catch (IOException e) {
            return e.getCause() instanceof IllegalArgumentException
                    ? WebAnswer.error(HttpServletResponse.SC_BAD_REQUEST, text(e))
                    : unavailable(text(e));
        } catch (IllegalArgumentException e) {
            return WebAnswer.error(HttpServletResponse.SC_BAD_REQUEST, text(e));
        } catch (TimeoutException e) {
            return unavailable("placement is busy or restarting");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable("the NameNode is shutting down");
        }
    }

    private WebAnswer viewer(@Nullable UserGroupInformation user) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (user == null) {
            json.put("nobody", NOBODY);
        } else {
            json.put("user", user.getShortUserName());
        }
        ArrayNode others = json.putArray("otherNameNodes");
        otherPages.forEach(others::add);
        return WebAnswer.json(json);
    }

    private WebAnswer explain(ServletContext context, HttpServletRequest request)
            throws IOException, WebException, TimeoutException, InterruptedException {
        UserGroupInformation user = named(user(context, request, Set.of("path")));
        String path = WebParameters.of(request, Set.of("path")).orNull("path");
        if (path == null || path.isEmpty()) {
            throw new WebException(
                    HttpServletResponse.SC_BAD_REQUEST, "give a parameter 'path': an absolute path, or blk_<id>");
        }
        return WebAnswer.json(MessageJson.object(questions.explain(user, address(request), path)));
    }

    private static long after(WebParameters parameters) throws WebException {
        String after = parameters.orNull("after");
        try {
            return after == null ? 0 : Long.parseLong(after);
        } catch (NumberFormatException e) {
            throw new WebException(
                    HttpServletResponse.SC_BAD_REQUEST, "'after' is a time in milliseconds since 1970, as in atMs");
        }
    }

    private @Nullable UserGroupInformation user(ServletContext context, HttpServletRequest request, Set<String> known)
            throws IOException, WebException {
        return WebUser.of(context, request, WebParameters.of(request, known), conf);
    }

    private static UserGroupInformation named(@Nullable UserGroupInformation user) throws WebException {
        if (user == null) {
            throw new WebException(HttpServletResponse.SC_FORBIDDEN, NOBODY);
        }
        return user;
    }

    private static String address(HttpServletRequest request) {
        return String.valueOf(JspHelper.getRemoteAddr(request));
    }

    private static WebAnswer unavailable(String message) {
        return WebAnswer.error(HttpServletResponse.SC_SERVICE_UNAVAILABLE, message);
    }

    /** One line, without the stack that RPC puts behind it. */
    private static String text(Exception e) {
        String message = e.getMessage();
        return message == null
                ? e.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }
}
