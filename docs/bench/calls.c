/*
 * calls: answers every request with one file, by the system calls that are named: what they cost when nothing else costs anything.
 * One thread, no parser: a request is what one read brings. Prints "calls listening on http://127.0.0.1:PORT".
 *
 * usage: calls FILE WAY        WAY is one of
 *   cork     TCP_CORK, header, sendfile, TCP_CORK off: what nginx does with tcp_nopush
 *   more     header with MSG_MORE, sendfile: the fewest calls that copy nothing
 *   java     header, fstat, copy_file_range (which fails), sendfile: what Java's FileChannel.transferTo leads to
 *   gather   fstat, header and the file's mapping in one writev
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int file;
static size_t file_bytes;
static void *mapping;
static char header[256];
static size_t header_bytes;

static void die(const char *why)
{
    fprintf(stderr, "calls: %s: %s\n", why, strerror(errno));
    exit(1);
}

/* A client that has gone is not this server's fault; a short write is: the socket's buffer is meant to hold an answer. */
static void check(ssize_t sent, size_t wanted, const char *call)
{
    if (sent != (ssize_t) wanted && errno != EPIPE && errno != ECONNRESET)
        die(call);
}

static void send_header(int socket, int flags)
{
    errno = 0;
    check(send(socket, header, header_bytes, flags), header_bytes, "send");
}

static void send_file(int socket)
{
    off_t from = 0;
    errno = 0;
    while ((size_t) from < file_bytes && sendfile(socket, file, &from, file_bytes - from) > 0)
        ;
    check(from, file_bytes, "sendfile");
}

static void cork(int socket)
{
    int on = 1, off = 0;
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
    send_header(socket, 0);
    send_file(socket);
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
}

static void more(int socket)
{
    send_header(socket, MSG_MORE);
    send_file(socket);
}

static void java(int socket)
{
    struct stat status;
    off_t from = 0;
    send_header(socket, 0);
    if (fstat(file, &status) < 0)
        die("fstat");
    if (copy_file_range(file, &from, socket, NULL, file_bytes, 0) >= 0)
        die("copy_file_range did not fail");
    send_file(socket);
}

static void gather(int socket)
{
    struct stat status;
    struct iovec parts[] = {{header, header_bytes}, {mapping, file_bytes}};
    if (fstat(file, &status) < 0)
        die("fstat");
    errno = 0;
    check(writev(socket, parts, 2), header_bytes + file_bytes, "writev");
}

static void open_file(const char *path)
{
    struct stat status;
    file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) < 0)
        die(path);
    file_bytes = status.st_size;
    mapping = mmap(NULL, file_bytes, PROT_READ, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED)
        die("mmap");
    header_bytes = snprintf(header, sizeof header, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
            "Last-Modified: Sun, 22 Nov 2026 00:00:00 GMT\r\nETag: \"64k\"\r\nAccept-Ranges: bytes\r\nContent-Length: %zu\r\n\r\n", file_bytes);
}

static int listener(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *) &address, length) < 0 || listen(fd, 4096) < 0 ||
            getsockname(fd, (struct sockaddr *) &address, &length) < 0)
        die("listen");
    printf("calls listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

static void watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        die("epoll_ctl");
}

static void serve(int epoll, int accepting, void (*answer)(int))
{
    struct epoll_event events[256];
    char request[8192];
    int one = 1;
    while (1) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == accepting) {
                fd = accept(accepting, NULL, NULL);
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                watch(epoll, fd);
            } else if (read(fd, request, sizeof request) > 0) {
                answer(fd);
            } else {
                close(fd);
            }
        }
    }
}

int main(int count, char **args)
{
    struct { const char *name; void (*answer)(int); } ways[] = {{"cork", cork}, {"more", more}, {"java", java}, {"gather", gather}};
    for (size_t i = 0; count == 3 && i < sizeof ways / sizeof *ways; i++) {
        if (!strcmp(args[2], ways[i].name)) {
            int epoll = epoll_create1(0), accepting;
            signal(SIGPIPE, SIG_IGN);
            open_file(args[1]);
            watch(epoll, accepting = listener());
            serve(epoll, accepting, ways[i].answer);
        }
    }
    fprintf(stderr, "usage: calls FILE cork|more|java|gather\n");
    return 2;
}
