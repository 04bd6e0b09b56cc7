package dev.millrace.files;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** A response of ours that hands the very buffers on that are written to it. */
class PassiveResponse extends Response.Wrapper {
    PassiveResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }
}
