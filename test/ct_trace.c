/*
 * The address tracer: constant time of vector code, where valgrind cannot look.
 *
 * An operation runs in a child that is single-stepped (ptrace). Each step's instruction address and
 * the addresses of all its memory operands (decoded by Zydis) make the trace. Over many secrets the
 * traces must be equal, step by step: the same instructions on the same addresses. That is the
 * property of FAILURES.md rows 56 and 57, and what constant time means but for instructions whose
 * own latency depends on data (the kernels use none: no division).
 *
 * Two planted leaks, a branch and a table read, show that the tracer catches them; it fails if not.
 *
 *     ct_trace [-s SECRETS] [-k KERNELS] [-b BITS_OF_A_PRIME] [-e BITS_OF_AN_EXPONENT]
 *              [-n BITS_OF_AN_RSA_KEY]
 */
#include <Zydis/Zydis.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ed25519.h"
#include "kernels.h"
#include "rsa.h"
#include "trace_ops.h"

enum { MAX_STEPS = 40u << 20, CACHE = 1 << 16 };

/* One step: where it was, and a hash of the addresses that it touched. */
typedef struct step {
    uint64_t at;
    uint64_t memory;
} step;

typedef struct decoded {
    uint64_t at;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand memory[ZYDIS_MAX_OPERAND_COUNT]; /* the memory operands alone */
    int count;
} decoded;

static ZydisDecoder decoder;
static decoded *cache;
static step *reference;
static size_t reference_len;

static void
die(const char *what)
{
    perror(what);
    exit(1);
}

/* The code of the child is the code of the parent: it was forked. */
static const decoded *
decode(uint64_t at)
{
    decoded *d = &cache[(at ^ (at >> 16)) % CACHE];
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    if (d->at == at)
        return d;
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, (const void *)(uintptr_t)at, 15,
                                           &d->instruction, operands))) {
        fprintf(stderr, "ct_trace: cannot decode the instruction at %#llx\n",
                (unsigned long long)at);
        exit(1);
    }
    d->at = at;
    d->count = 0;
    for (int i = 0; i < d->instruction.operand_count; i++) {
        /* not the operand of lea, nor that of a no-operation: they are not accessed */
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            d->instruction.mnemonic != ZYDIS_MNEMONIC_NOP)
            d->memory[d->count++] = operands[i];
    }
    return d;
}

static uint64_t
register_value(ZydisRegister r, const struct user_regs_struct *regs)
{
    switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r)) {
    case ZYDIS_REGISTER_RAX:
        return regs->rax;
    case ZYDIS_REGISTER_RBX:
        return regs->rbx;
    case ZYDIS_REGISTER_RCX:
        return regs->rcx;
    case ZYDIS_REGISTER_RDX:
        return regs->rdx;
    case ZYDIS_REGISTER_RSI:
        return regs->rsi;
    case ZYDIS_REGISTER_RDI:
        return regs->rdi;
    case ZYDIS_REGISTER_RBP:
        return regs->rbp;
    case ZYDIS_REGISTER_RSP:
        return regs->rsp;
    case ZYDIS_REGISTER_R8:
        return regs->r8;
    case ZYDIS_REGISTER_R9:
        return regs->r9;
    case ZYDIS_REGISTER_R10:
        return regs->r10;
    case ZYDIS_REGISTER_R11:
        return regs->r11;
    case ZYDIS_REGISTER_R12:
        return regs->r12;
    case ZYDIS_REGISTER_R13:
        return regs->r13;
    case ZYDIS_REGISTER_R14:
        return regs->r14;
    case ZYDIS_REGISTER_R15:
        return regs->r15;
    case ZYDIS_REGISTER_NONE:
        return 0;
    case ZYDIS_REGISTER_RIP:
        return regs->rip;
    default:
        /* A vector of addresses (gather) has no single address: constant-time code has none. */
        fprintf(stderr, "ct_trace: address from register %s\n", ZydisRegisterGetString(r));
        exit(1);
    }
}

static step
step_of(const struct user_regs_struct *regs)
{
    const decoded *d = decode(regs->rip);
    step s = {.at = regs->rip, .memory = 0};

    for (int i = 0; i < d->count; i++) {
        const ZydisDecodedOperandMem *m = &d->memory[i].mem;
        uint64_t address = register_value(m->base, regs) +
                           register_value(m->index, regs) * m->scale +
                           (uint64_t)(m->disp.has_displacement ? m->disp.value : 0);

        if (m->base == ZYDIS_REGISTER_RIP)
            address += d->instruction.length;
        if (m->segment == ZYDIS_REGISTER_FS)
            address += regs->fs_base;
        s.memory = (s.memory ^ address) * 0x9E3779B97F4A7C15u;
    }
    return s;
}

/* The places between which the child is traced. */
static void __attribute__((noinline)) trace_from(void)
{
    __asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) trace_to(void)
{
    __asm__ volatile("nop" ::: "memory");
}

/*
 * Traces op once with the given secret. The first trace of a series becomes the reference; later
 * ones are compared as they go. Returns whether this one is equal.
 */
static bool
trace(const trace_op *op, unsigned secret, bool first)
{
    size_t n = 0;
    bool inside = false, equal = true;
    int status;
    pid_t child;

    op->prepare(secret);
    fflush(stdout);
    child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        trace_from();
        op->run();
        trace_to();
        _exit(0);
    }
    if (waitpid(child, &status, 0) < 0)
        die("waitpid");
    for (;;) {
        struct user_regs_struct regs;

        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0 || waitpid(child, &status, 0) < 0)
            die("single step");
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
            fprintf(stderr, "ct_trace: %s: the child stopped with status %#x\n", op->name, status);
            exit(1);
        }
        if (ptrace(PTRACE_GETREGS, child, NULL, &regs) < 0)
            die("PTRACE_GETREGS");
        if (regs.rip == (uintptr_t)trace_from)
            inside = true;
        if (!inside)
            continue;
        if (regs.rip == (uintptr_t)trace_to)
            break;
        if (n == MAX_STEPS)
            break;
        step s = step_of(&regs);
        if (first) {
            reference[n++] = s;
        } else if (n == reference_len || reference[n].at != s.at ||
                   reference[n].memory != s.memory) {
            printf("    secret %u differs at step %zu of %zu: instruction %#llx (trace_from is at "
                   "%#llx)\n",
                   secret, n, reference_len, (unsigned long long)s.at,
                   (unsigned long long)(uintptr_t)trace_from);
            equal = false;
            break;
        } else {
            n++;
        }
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (first)
        reference_len = n;
    else if (equal && n != reference_len) {
        printf("    secret %u ends after %zu of %zu steps\n", secret, n, reference_len);
        equal = false;
    }
    return equal;
}

/* Called through this, trace() is one function with one frame: optimisers make no copy for the first. */
static bool (*volatile const tracer)(const trace_op *, unsigned, bool) = trace;

/* Whether the traces of all secrets are equal. */
static bool
traces_equal(const trace_op *op, unsigned secrets)
{
    for (unsigned i = 0; i < secrets; i++) {
        if (!tracer(op, i, i == 0))
            return false;
    }
    return true;
}

/* ---- start --------------------------------------------------------------------------------------
 */

int
main(int argc, char **argv)
{
    const char *name = "auto";
    unsigned secrets = 8, bits = 512, e_bits = 24, n_bits = 768;
    const bm_kernels *set;
    int c, failed = 0;

    while ((c = getopt(argc, argv, "s:k:b:e:n:")) != -1) {
        if (c == 's')
            secrets = (unsigned)atoi(optarg);
        else if (c == 'b')
            bits = (unsigned)atoi(optarg);
        else if (c == 'e')
            e_bits = (unsigned)atoi(optarg);
        else if (c == 'n')
            n_bits = (unsigned)atoi(optarg);
        else if (c == 'k')
            name = optarg;
        else
            return 2;
    }
    set = bm_kernels_find(name, bm_cpu_features());
    if (set == NULL) {
        printf("skipped: kernels %s are not on this processor\n", name);
        return 77;
    }
    cache = calloc(CACHE, sizeof(*cache));
    reference = malloc(sizeof(*reference) * (size_t)MAX_STEPS);
    if (cache == NULL || reference == NULL || secrets < 2)
        return 2;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);

    for (size_t i = 0; i < num_planted_leaks; i++) {
        bool equal = traces_equal(&planted_leaks[i], 2);

        printf("%s: %s\n", planted_leaks[i].name, equal ? "NOT CAUGHT" : "caught");
        failed += equal;
    }
    trace_ops_start(set, bits, e_bits, n_bits);
    for (size_t i = 0; i < num_trace_ops; i++) {
        bool equal = traces_equal(&trace_ops[i], secrets);

        printf("ran: kernels %s, %s: %u secrets, %zu steps: %s\n", set->name, trace_ops[i].name,
               secrets, reference_len, equal ? "equal" : "DIFFERENT");
        fflush(stdout);
        failed += !equal;
    }
    return failed != 0;
}
