#!/usr/bin/env python3
"""Downloads files from a server on 127.0.0.1 at a limited rate until SIGTERM, and then prints "files COUNT".

usage: docs/bench/cold.py PORT DIR CLIENTS BYTES_PER_SECOND cold|hot [CERTIFICATE]

The server has the files of DIR below /files/cold/. cold: before each request the system drops the file's pages (posix_fadvise(2)), and
the files are taken in turn, so that the server has let go of each when it comes again. hot: the same two files again and again.
With a server's certificate (PEM) they come over TLS.
"""
import http.client
import os
import signal
import ssl
import sys
import threading
import time

PIECE_BYTES = 64 * 1024

port, directory, clients, rate, kind = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
tls = ssl.create_default_context(cafile=sys.argv[6]) if len(sys.argv) > 6 else None
names = sorted(os.listdir(directory))[: None if kind == "cold" else 2]
lock = threading.Lock()
taken = done = 0


def drop(name):
    descriptor = os.open(os.path.join(directory, name), os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def next_name():
    global taken
    with lock:
        taken += 1
        return names[taken % len(names)]


def download(connection, name):
    connection.request("GET", "/files/cold/" + name)
    answer = connection.getresponse()
    size = os.path.getsize(os.path.join(directory, name))
    begin = time.monotonic()
    received = 0
    while piece := answer.read(PIECE_BYTES):
        received += len(piece)
        time.sleep(max(0.0, begin + received / rate - time.monotonic()))
    if answer.status != 200 or received != size:
        raise OSError(f"{name}: {answer.status}, {received} of {size} bytes")


def run():
    global done
    if tls:
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port)
    while True:
        name = next_name()
        if kind == "cold":
            drop(name)
        try:
            download(connection, name)
        except Exception as failure:  # One thread that ends would only lower the load.
            print("failed:", failure, file=sys.stderr, flush=True)
            os._exit(1)
        with lock:
            done += 1


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
for _ in range(clients):
    threading.Thread(target=run, daemon=True).start()
signal.sigwait({signal.SIGTERM})
print("files", done, flush=True)
