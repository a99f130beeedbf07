package io.terrace.placement.hdfs.web;

import java.io.IOException;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.server.common.JspHelper;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.authorize.ProxyUsers;
import org.jspecify.annotations.Nullable;

/** Who asks: the user whom Hadoop's filters name, or whose delegation token comes along, or on whose behalf he may ask. */
final class WebUser {

    private WebUser() {}

    /** Null if nobody is named. With Kerberos the user that Hadoop gives to all who come without a name is nobody, too. */
    static @Nullable UserGroupInformation of(
            ServletContext context, HttpServletRequest request, WebParameters parameters, Configuration conf)
            throws IOException {
        boolean secure = UserGroupInformation.isSecurityEnabled();
        if (secure && parameters.orNull(WebParameters.DELEGATION) != null) {
            return JspHelper.getUGI(context, request, conf);
        }
        String name = request.getRemoteUser();
        if (name == null || (secure && name.equals(userWithoutName(conf)))) {
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

    private static String userWithoutName(Configuration conf) {
        return conf.get(
                CommonConfigurationKeys.HADOOP_HTTP_STATIC_USER,
                CommonConfigurationKeys.DEFAULT_HADOOP_HTTP_STATIC_USER);
    }
}
