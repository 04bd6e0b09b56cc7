/**
 * Files that applications name in their responses. Begin with {@link dev.millrace.xsendfile.XSendfileHandler}.
 * {@link dev.millrace.xsendfile.TransferListener}s learn how their transfers end;
 * {@link dev.millrace.xsendfile.DownloadNotifier} is one of them.
 *
 * <p>Threading: any thread may use the public types. One response is written by one thread at a time; the thread that completes it
 * begins the transfer.
 */
@NullMarked
package dev.millrace.xsendfile;

import org.jspecify.annotations.NullMarked;
