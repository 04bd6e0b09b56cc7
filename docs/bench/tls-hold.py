#!/usr/bin/env python3
"""Holds idle TLS connections to a server on 127.0.0.1, after one request each. Prints "holding COUNT" when it does, and ends on SIGTERM.

usage: docs/bench/tls-hold.py PORT COUNT
"""
import signal
import socket
import ssl
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
held = []
for _ in range(count):
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
    connection.sendall(b"GET /hello HTTP/1.1\r\nHost: localhost\r\nUser-Agent: hold\r\nAccept: */*\r\n\r\n")
    answer = b""
    while not answer.endswith(b"Hello, World!"):
        part = connection.recv(4096)
        if not part:
            sys.exit("ended: " + repr(answer))
        answer += part
    held.append(connection)
print("holding", count, flush=True)
signal.sigwait({signal.SIGTERM})
