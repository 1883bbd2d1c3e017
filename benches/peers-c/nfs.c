/*
 * rpcgen's and libtirpc's turn at messages of NFS: what rpcgen makes of nfs3.x, or of nfs4.x with
 * -DNFS4, over memory. Decoding builds the value and frees it again, as the generated code is used.
 *
 * nfs DIRECTORY: commands on standard input, one a line, an answer a line. A MESSAGE is a file in
 * the directory, named by its type (READ3res) or by that, `-` and anything (READ3res-4096).
 *     decode MESSAGE N, encode MESSAGE N   do it N times; the nanoseconds that it took
 *     show MESSAGE                         decode, encode again into MESSAGE.again; its length
 * nfs DIRECTORY decode|encode MESSAGE N: do it and nothing else, to be counted.
 */
#ifdef NFS4
#include "nfs4.h"
#else
#include "nfs3.h"
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOM (16u << 20)

static char message[ROOM], out[ROOM];
static u_int length;
static union {
#ifdef NFS4
    COMPOUND4args compound_args;
    COMPOUND4res compound_res;
#else
    GETATTR3args getattr_args;
    GETATTR3res getattr_res;
    LOOKUP3args lookup_args;
    LOOKUP3res lookup_res;
    READ3res read_res;
    WRITE3args write_args;
    READDIRPLUS3res readdirplus_res;
#endif
} value;

static const struct {
    const char *name;
    xdrproc_t xdr;
} types[] = {
#ifdef NFS4
    { "COMPOUND4args", (xdrproc_t)xdr_COMPOUND4args },
    { "COMPOUND4res", (xdrproc_t)xdr_COMPOUND4res },
#else
    { "GETATTR3args", (xdrproc_t)xdr_GETATTR3args },
    { "GETATTR3res", (xdrproc_t)xdr_GETATTR3res },
    { "LOOKUP3args", (xdrproc_t)xdr_LOOKUP3args },
    { "LOOKUP3res", (xdrproc_t)xdr_LOOKUP3res },
    { "READ3res", (xdrproc_t)xdr_READ3res },
    { "WRITE3args", (xdrproc_t)xdr_WRITE3args },
    { "READDIRPLUS3res", (xdrproc_t)xdr_READDIRPLUS3res },
#endif
};

/* The compiler must not see through the loop. */
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

static void fail(const char *what)
{
    fprintf(stderr, "nfs: %s\n", what);
    exit(1);
}

static FILE *open_in(const char *dir, const char *name, const char *suffix, const char *mode)
{
    char path[4096];
    FILE *file;
    if (snprintf(path, sizeof path, "%s/%s%s", dir, name, suffix) >= (int)sizeof path)
        fail("the name of the directory is too long");
    file = fopen(path, mode);
    if (!file)
        fail("cannot open a message");
    return file;
}

/* Reads a message and finds its type. */
static xdrproc_t load(const char *dir, const char *name)
{
    static char loaded[64];
    size_t known = strcspn(name, "-");
    if (strcmp(loaded, name) != 0) {
        FILE *file = open_in(dir, name, "", "rb");
        length = (u_int)fread(message, 1, sizeof message, file);
        if (length == sizeof message)
            fail("the message is too long");
        fclose(file);
        snprintf(loaded, sizeof loaded, "%s", name);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == known && strncmp(types[i].name, name, known) == 0)
            return types[i].xdr;
    fail("no such type");
    return NULL;
}

static void decode_value(xdrproc_t xdr)
{
    XDR xdrs;
    memset(&value, 0, sizeof value);
    xdrmem_create(&xdrs, message, length, XDR_DECODE);
    if (!xdr(&xdrs, &value))
        fail("cannot read the message");
}

static void decode(xdrproc_t xdr, uint64_t n)
{
    while (n--) {
        KEEP(message);
        decode_value(xdr);
        KEEP(&value);
        xdr_free(xdr, (char *)&value);
    }
}

static u_int encode(xdrproc_t xdr, uint64_t n)
{
    XDR xdrs;
    u_int used = 0;
    decode_value(xdr);
    while (n--) {
        KEEP(&value);
        xdrmem_create(&xdrs, out, sizeof out, XDR_ENCODE);
        if (!xdr(&xdrs, &value))
            fail("cannot write the message");
        used = xdr_getpos(&xdrs);
        KEEP(out);
    }
    xdr_free(xdr, (char *)&value);
    return used;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run(const char *what, xdrproc_t xdr, uint64_t n)
{
    if (strcmp(what, "decode") == 0)
        decode(xdr, n);
    else if (strcmp(what, "encode") == 0)
        encode(xdr, n);
    else
        fail("decode or encode, nothing else");
}

int main(int argc, char **argv)
{
    char line[128], what[16], name[64];
    unsigned long long n;
    if (argc != 2 && argc != 5)
        fail("usage: nfs DIRECTORY [decode|encode MESSAGE N]");
    if (argc == 5) {
        run(argv[2], load(argv[1], argv[3]), strtoull(argv[4], NULL, 10));
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "show %63s", name) == 1) {
            u_int used = encode(load(argv[1], name), 1);
            FILE *file = open_in(argv[1], name, ".again", "wb");
            if (fwrite(out, 1, used, file) != used || fclose(file) != 0)
                fail("cannot write a message");
            printf("%u\n", used);
        } else if (sscanf(line, "%15s %63s %llu", what, name, &n) == 3) {
            xdrproc_t xdr = load(argv[1], name);
            uint64_t start = now();
            run(what, xdr, n);
            printf("%llu\n", (unsigned long long)(now() - start));
        } else {
            fail("no such command");
        }
        fflush(stdout);
    }
    return 0;
}
