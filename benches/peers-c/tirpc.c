/*
 * libtirpc's turn at a call header: xdr_callmsg and xdr_authunix_parms, into memory that is kept, so
 * that nothing is allocated.
 *
 * tirpc HEX: commands on standard input, one a line, an answer a line:
 *     decode N, encode N   do it N times; the nanoseconds that it took
 *     show                 decode, encode again, and print that in hexadecimal
 * tirpc HEX decode|encode N: do it and nothing else, to be counted.
 */
#include <rpc/rpc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char message[1024], out[1024];
static char credential[MAX_AUTH_BYTES], verifier[MAX_AUTH_BYTES];
static char machine[MAX_MACHINE_NAME + 1];
static gid_t groups[NGRPS];
static u_int length;

/* The compiler must not see through the loop. */
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

static void fail(const char *what)
{
    fprintf(stderr, "tirpc: %s\n", what);
    exit(1);
}

static void decode_into(struct rpc_msg *msg)
{
    XDR xdrs;
    memset(msg, 0, sizeof *msg);
    msg->rm_call.cb_cred.oa_base = credential;
    msg->rm_call.cb_verf.oa_base = verifier;
    xdrmem_create(&xdrs, message, length, XDR_DECODE);
    if (!xdr_callmsg(&xdrs, msg))
        fail("cannot read the call header");
}

static void decode(uint64_t n)
{
    struct rpc_msg msg;
    struct authunix_parms user;
    XDR xdrs;
    while (n--) {
        KEEP(message);
        decode_into(&msg);
        memset(&user, 0, sizeof user);
        user.aup_machname = machine;
        user.aup_gids = groups;
        xdrmem_create(&xdrs, credential, msg.rm_call.cb_cred.oa_length, XDR_DECODE);
        if (!xdr_authunix_parms(&xdrs, &user))
            fail("cannot read the credential");
        KEEP(&msg);
        KEEP(&user);
    }
}

static u_int encode(uint64_t n)
{
    struct rpc_msg msg;
    XDR xdrs;
    u_int used = 0;
    decode_into(&msg);
    while (n--) {
        KEEP(&msg);
        xdrmem_create(&xdrs, out, sizeof out, XDR_ENCODE);
        if (!xdr_callmsg(&xdrs, &msg))
            fail("cannot write the call header");
        used = xdr_getpos(&xdrs);
        KEEP(out);
    }
    return used;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run(const char *what, uint64_t n)
{
    if (strcmp(what, "decode") == 0)
        decode(n);
    else if (strcmp(what, "encode") == 0)
        encode(n);
    else
        fail("decode or encode, nothing else");
}

int main(int argc, char **argv)
{
    char line[64], what[16];
    unsigned long long n;
    if (argc != 2 && argc != 4)
        fail("usage: tirpc HEX [decode|encode N]");
    for (const char *p = argv[1]; p[0] && p[1] && length < sizeof message; p += 2) {
        unsigned byte;
        if (sscanf(p, "%2x", &byte) != 1)
            fail("these are no hexadecimal digits");
        message[length++] = (char)byte;
    }
    if (argc == 4) {
        run(argv[2], strtoull(argv[3], NULL, 10));
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "show", 4) == 0) {
            u_int used = encode(1);
            for (u_int i = 0; i < used; i++)
                printf("%02x", (unsigned char)out[i]);
            printf("\n");
        } else if (sscanf(line, "%15s %llu", what, &n) == 2) {
            uint64_t start = now();
            run(what, n);
            printf("%llu\n", (unsigned long long)(now() - start));
        } else {
            fail("no such command");
        }
        fflush(stdout);
    }
    return 0;
}
