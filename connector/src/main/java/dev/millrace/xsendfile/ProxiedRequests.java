package dev.millrace.xsendfile;

import dev.millrace.jetty.JettyInternals;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Notes which answers Jetty's {@code ProxyHandler} fetches from another server. Loaded when there is such a handler: the client is no
 * part of every server. Thread-safe.
 *
 * @param attribute of the request from the client: its {@link AnswerOrigin}
 * @param fromClient attribute of the request to the other server: that from the client
 */
record ProxiedRequests(String attribute, String fromClient) implements Request.Listener, LifeCycle.Listener {
    /**
     * @param client the {@link HttpClient} of a {@code ProxyHandler}
     * @param proxyHandler Jetty's class of that handler
     * @throws ClassCastException when the client's class is of another class loader
     * @throws LinkageError when this class loader has no such client, or the handler's attribute is not known
     */
    static void follow(Object client, Class<?> proxyHandler, String attribute) {
        HttpClient http = (HttpClient) client;
        ProxiedRequests listener = new ProxiedRequests(attribute, JettyInternals.proxiedRequestAttribute(proxyHandler));
        if (http.addEventListener(listener) && http.isStarted()) {
            listener.lifeCycleStarted(http);
        }
    }

    // A client forgets its listeners when it is stopped.
    @Override
    public void lifeCycleStarted(LifeCycle client) {
        ((HttpClient) client).getRequestListeners().addListener(this);
    }

    // Called by the thread that handles the request from the client: it knows whether it is in a context.
    @Override
    public void onQueued(Request request) {
        onBegin(request);
    }

    // Called before anything of the request is sent, and so before its answer comes. By any thread.
    @Override
    public void onBegin(Request request) {
        if (request.getAttributes().get(fromClient) instanceof org.eclipse.jetty.server.Request fromClient
                && fromClient.getAttribute(attribute) instanceof AnswerOrigin origin) {
            origin.setProxied();
        }
    }
}
