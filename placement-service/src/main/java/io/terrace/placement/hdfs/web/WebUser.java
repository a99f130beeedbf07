package io.terrace.placement.hdfs.web;

import java.io.IOException;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.server.common.JspHelper;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.authentication.server.PseudoAuthenticationHandler;
import org.apache.hadoop.security.authorize.ProxyUsers;
import org.jspecify.annotations.Nullable;

/** Who asks: the user whom Hadoop's filters name, or whose delegation token comes along, or on whose behalf he may ask. */
final class WebUser {

    private WebUser() {}

    /** Null if nobody is named. With Kerberos a name that the web server did not check is nobody's. */
    static @Nullable UserGroupInformation of(
            ServletContext context, HttpServletRequest request, WebParameters parameters, Configuration conf)
            throws IOException, WebException {
        boolean secure = UserGroupInformation.isSecurityEnabled();
        if (secure && parameters.orNull(WebParameters.DELEGATION) != null) {
            return ofToken(context, request, conf);
        }
        String name = request.getRemoteUser();
        if (name == null || (secure && isUnproven(name, request, conf))) {
            return null;
        }
        UserGroupInformation user = UserGroupInformation.createRemoteUser(name);
        if (secure) {
            user.setAuthenticationMethod(AuthenticationMethod.KERBEROS_SSL);
        }
        String other = parameters.orNull(WebParameters.DO_AS);
        // Where the filter itself lets users act for others, it names the other one already.
        if (other == null || other.equals(name)) {
            return user;
        }
        UserGroupInformation proxied = UserGroupInformation.createProxyUser(other, user);
        ProxyUsers.authorize(proxied, JspHelper.getRemoteAddr(request));
        return proxied;
    }

    private static UserGroupInformation ofToken(ServletContext context, HttpServletRequest request, Configuration conf)
            throws IOException, WebException {
        try {
            return JspHelper.getUGI(context, request, conf);
        } catch (StandbyException | RetriableException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Its own message may be of any type and length: what the token's bytes were taken for.
            throw new WebException(
                    HttpServletResponse.SC_FORBIDDEN,
                    "the delegation token is not valid: it has ended, is of another name service, or is damaged");
        }
    }

    /** It was merely given as {@code user.name}, or is what Hadoop calls all who come without a name. */
    private static boolean isUnproven(String name, HttpServletRequest request, Configuration conf) {
        return PseudoAuthenticationHandler.TYPE.equals(request.getAuthType())
                || name.equals(conf.get(
                        CommonConfigurationKeys.HADOOP_HTTP_STATIC_USER,
                        CommonConfigurationKeys.DEFAULT_HADOOP_HTTP_STATIC_USER));
    }
}
