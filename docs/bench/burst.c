/*
 * burst: connects many clients at once, each sends one request, and measures how long after the first connect() each of them has the
 * first byte of its answer. Prints "p50 p99 max failed", times in ms. Who has no answer after 20 seconds has failed, and counts with these
 * 20 seconds. The connections stay open until all have been answered, as those of browsers do: a client that closes before it has read all
 * resets its connection, and what that costs the server would count in the times of the others.
 *
 * usage: burst PORT PATH CLIENTS
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_SECONDS 20.0

struct client {
    int fd;
    int has_asked;
};

static void die(const char *why)
{
    perror(why);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int by_time(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

static void begin(struct client *client, int poll, const struct sockaddr_in *server)
{
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = client};
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (client->fd < 0)
        die("socket");
    if (connect(client->fd, (const struct sockaddr *)server, sizeof *server) < 0 && errno != EINPROGRESS)
        die("connect");
    if (epoll_ctl(poll, EPOLL_CTL_ADD, client->fd, &event) < 0)
        die("epoll_ctl");
}

/* Asks when the connection is there, and returns 1 at the first byte of an answer of 200, -1 at a failure, 0 before. */
static int go_on(struct client *client, int poll, const char *request)
{
    static const char status[] = "HTTP/1.1 200";
    char answer[4096];
    ssize_t length;
    if (!client->has_asked) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        if (send(client->fd, request, strlen(request), MSG_NOSIGNAL) < 0)
            return -1;
        client->has_asked = 1;
        return epoll_ctl(poll, EPOLL_CTL_MOD, client->fd, &event);
    }
    length = recv(client->fd, answer, sizeof answer, MSG_DONTWAIT);
    if (length < 0 && errno == EAGAIN)
        return 0;
    return length >= (ssize_t)strlen(status) && memcmp(answer, status, strlen(status)) == 0 ? 1 : -1;
}

int main(int count, char **arguments)
{
    int clients = count == 4 ? atoi(arguments[3]) : 0, open, answered = 0, poll = epoll_create1(0);
    struct client *all = calloc(clients + 1, sizeof *all);
    double *times = calloc(clients + 1, sizeof *times), start;
    struct sockaddr_in server = {.sin_family = AF_INET};
    char request[1024];
    if (clients < 1) {
        fputs("usage: burst PORT PATH CLIENTS\n", stderr);
        return 2;
    }
    server.sin_port = htons(atoi(arguments[1]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[2]);
    start = now();
    for (int i = 0; i < clients; i++)
        begin(&all[i], poll, &server);
    for (open = clients; open > 0 && now() - start < PATIENCE_SECONDS;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 100);
        for (int i = 0; i < ready; i++) {
            struct client *client = events[i].data.ptr;
            int end = go_on(client, poll, request);
            if (end == 0)
                continue;
            if (end > 0)
                times[answered++] = now() - start;
            epoll_ctl(poll, EPOLL_CTL_DEL, client->fd, NULL);
            open--;
        }
    }
    for (int i = 0; i < clients; i++)
        close(all[i].fd);
    qsort(times, answered, sizeof *times, by_time);
    /* Who has no answer has waited longest. */
    for (int i = answered; i < clients; i++)
        times[i] = PATIENCE_SECONDS;
    printf("%.1f %.1f %.1f %d\n", times[(clients - 1) / 2] * 1e3, times[(int)((clients - 1) * 0.99)] * 1e3,
           times[clients - 1] * 1e3, clients - answered);
    return 0;
}
