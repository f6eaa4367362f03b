/* A time of day that is as many seconds wrong as the file $WRONG_CLOCK says; preloaded into the processes of the soak.
   Clocks that only run on are left alone, as when the time of a machine is set. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    static long seconds, read_at;
    struct timespec now;
    char text[32] = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    if (now.tv_sec != read_at) {
        const char *path = getenv("WRONG_CLOCK");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0) seconds = atol(text);
            close(file);
        }
        read_at = now.tv_sec;
    }
    return seconds;
}

int clock_gettime(clockid_t id, struct timespec *time) {
    int status = (int)syscall(SYS_clock_gettime, id, time);
    if (status == 0 && id == CLOCK_REALTIME) time->tv_sec += offset();
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int status = (int)syscall(SYS_gettimeofday, time, zone);
    if (status == 0) time->tv_sec += offset();
    return status;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
