#include "keeper/clone.h"

#include <sys/syscall.h>

namespace cronce {

// The new process begins on an empty stack, so it cannot return from a C++ function: registers
// carry what it needs across the system call.
#if defined(__x86_64__)

long clone_and_run(const clone_args& arguments, int (*child)(void*), void* argument) {
  long result = SYS_clone3;
  register int (*function)(void*) __asm__("r12") = child;
  register void* given __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "mov %%eax, %%edi\n\t"
      "mov %[exit], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(&arguments), "S"(sizeof arguments), "r"(function), "r"(given), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory", "cc");
  return result;
}

#elif defined(__aarch64__)

long clone_and_run(const clone_args& arguments, int (*child)(void*), void* argument) {
  register long number __asm__("x8") = SYS_clone3;
  register long first __asm__("x0") = reinterpret_cast<long>(&arguments);
  register unsigned long size __asm__("x1") = sizeof arguments;
  register int (*function)(void*) __asm__("x10") = child;
  register void* given __asm__("x11") = argument;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, #0\n\t"
      "mov x30, #0\n\t"
      "mov x0, x11\n\t"
      "blr x10\n\t"
      "mov x8, %[exit]\n\t"
      "svc #0\n"
      "1:"
      : "+r"(first)
      : "r"(number), "r"(size), "r"(function), "r"(given), [exit] "i"(SYS_exit)
      : "memory", "cc");
  return first;
}

#else
#error "clone_and_run is written for x86-64 and aarch64: add this machine's few instructions"
#endif

}  // namespace cronce
