/*
 * drain: downloads over keep-alive connections, as fast as they come, and throws the bodies away inside the kernel, so that the server
 * is what is measured. Prints "requests N bytes N seconds S"; exit code 1 on anything but whole answers with 200.
 *
 * usage: drain PORT PATH CONNECTIONS SECONDS [FILES]      with FILES, a %d in PATH is drawn from 0 to FILES - 1 for each request
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_AT_ONCE (4L << 20)

struct connection {
    int fd;
    long left;         /* bytes of the body to come; -1: the header is not complete */
    size_t filled;     /* bytes of the header so far */
    char header[8192]; /* and of the body as much as came with it */
};

static const char *path;
static int files;
static long requests, bytes;

static void die(const char *why, const char *detail)
{
    fprintf(stderr, "drain: %s: %s\n", why, detail);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void request(struct connection *c)
{
    char url[512], text[1024];
    snprintf(url, sizeof url, path, files ? (int) (random() % files) : 0);
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", url);
    c->left = -1;
    c->filled = 0;
    if (send(c->fd, text, length, MSG_NOSIGNAL) != length)
        die("send", strerror(errno));
}

static void open_connection(struct connection *c, int port, int epoll)
{
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *) &server, sizeof server) < 0)
        die("connect", strerror(errno));
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event) < 0)
        die("epoll_ctl", strerror(errno));
    request(c);
}

static ssize_t receive(struct connection *c, void *to, size_t most, int flags)
{
    ssize_t count = recv(c->fd, to, most, flags | MSG_DONTWAIT);
    if (count == 0)
        die("closed by the server", c->left < 0 ? "in a header" : "in a body");
    if (count < 0 && errno != EAGAIN)
        die("recv", strerror(errno));
    return count < 0 ? 0 : count;
}

static void read_header(struct connection *c)
{
    c->filled += receive(c, c->header + c->filled, sizeof c->header - 1 - c->filled, 0);
    c->header[c->filled] = 0;
    char *end = strstr(c->header, "\r\n\r\n");
    if (!end) {
        if (c->filled == sizeof c->header - 1)
            die("header too long", path);
        return;
    }
    char *length = strcasestr(c->header, "\r\ncontent-length:");
    if (strncmp(c->header + 8, " 200", 4) || !length || length > end) {
        *strstr(c->header, "\r\n") = 0;
        die("unexpected answer", c->header);
    }
    long body = c->header + c->filled - (end + 4);
    c->left = atol(length + 17) - body;
    bytes += body;
}

static void readable(struct connection *c)
{
    if (c->left < 0) {
        read_header(c);
    } else {
        /* tcp(7): with MSG_TRUNC the bytes are discarded instead of copied. */
        long count = receive(c, NULL, c->left < MOST_AT_ONCE ? c->left : MOST_AT_ONCE, MSG_TRUNC);
        c->left -= count;
        bytes += count;
    }
    if (c->left == 0) {
        requests++;
        request(c);
    }
}

int main(int count, char **args)
{
    if (count < 5)
        die("usage", "drain PORT PATH CONNECTIONS SECONDS [FILES]");
    int connections = atoi(args[3]), epoll = epoll_create1(0);
    double seconds = atof(args[4]), started = now(), passed;
    struct connection *all = calloc(connections, sizeof *all);
    struct epoll_event events[256];
    path = args[2];
    files = count > 5 ? atoi(args[5]) : 0;
    for (int i = 0; i < connections; i++)
        open_connection(&all[i], atoi(args[1]), epoll);
    while ((passed = now() - started) < seconds) {
        int ready = epoll_wait(epoll, events, 256, 100);
        for (int i = 0; i < ready; i++)
            readable(events[i].data.ptr);
    }
    printf("requests %ld bytes %ld seconds %.3f\n", requests, bytes, passed);
    return 0;
}
