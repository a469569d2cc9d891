/* SPDX-License-Identifier: MIT */
/* Every reason of a verdict, once: verdict.h makes enum reason and its table from this list, and
 * `assay list --reasons` prints docs/reasons.md from it. To add one:
 * see CONTRIBUTING.md, "A verdict reason".
 *
 *     X(VERDICT, NAME, code, meaning)
 *
 * VERDICT_##VERDICT is the verdict and REASON_##VERDICT##_##NAME the reason. The code stands in
 * records for ever. The meaning is one line for people. The codes of CRASH_FAULT and CRASH_SIGNAL
 * stand only where no name was found; see verdict_set_named(). */
#ifndef ASSAY_TERMS_REASONS_H
#define ASSAY_TERMS_REASONS_H

/* clang-format off */
#define REASONS(X) \
    X(WRONG, MAX, "max", "One element's error is larger than the gate allows.") \
    X(WRONG, RMS, "rms", "The root mean square of all elements' errors is larger than the gate allows.") \
    X(WRONG, NONFINITE, "nonfinite", "An element is NaN or infinite where a finite number is expected.") \
    X(WRONG, UNEQUAL, "unequal", "An integer or boolean element differs from the expected one.") \
    X(WRONG, UNWRITTEN, "unwritten", "An output element was never written.") \
    X(WRONG, OUT_OF_BOUNDS, "out_of_bounds", "The candidate wrote before the start or past the end of an output.") \
    X(WRONG, INPUT_CHANGED, "input_changed", "GPUs: the candidate wrote to its inputs, which are mapped read-only.") \
    X(WRONG, TYPE, "type", "Python: a call returned something else than the declared number of dense tensors.") \
    X(WRONG, SHAPE, "shape", "Python: a call returned a tensor of another shape than declared.") \
    X(WRONG, DTYPE, "dtype", "Python: a call returned a tensor of another dtype than declared.") \
    X(WRONG, STALE_WEIGHTS, "stale_weights", "Python: the values are those of older weights, which the module packed or copied. It is right if it is constructed with the weights of the call.") \
    X(CRASH, SIGNAL, "SIG?", "A signal ended the candidate's process. The code is the signal's name, for example `SIGSEGV`, or `SIG?` for one without a name.") \
    X(CRASH, FAULT, "fault", "The device reported an error. The code is its name if the judge's list has it, for example `CUDA_ERROR_ILLEGAL_ADDRESS`; for baselines `TORCH` or `OUT_OF_MEMORY`, for an exception in Python `PYTHON`. Else it is `fault`, and `detail` quotes the error.") \
    X(CRASH, EXITED, "exited", "The candidate ended its process.") \
    X(CRASH, RETURNED, "returned", "`assay_kernel` returned a value other than 0.") \
    X(CRASH, SETUP, "setup", "The candidate's setup failed.") \
    X(CRASH, PROGRAM, "program", "Python: a call wanted to start a program. Compilers run in the rehearsal only.") \
    X(CRASH, MEMORY, "memory", "The candidate's process used more host memory than a runner may have.") \
    X(TIMEOUT, START, "start", "The process was not ready to load the candidate in time.") \
    X(TIMEOUT, LOADING, "loading", "The candidate did not finish loading in time.") \
    X(TIMEOUT, SETUP, "setup", "The candidate's setup did not end in time.") \
    X(TIMEOUT, CALL, "call", "A call did not end in time.") \
    X(TIMEOUT, BETWEEN_CALLS, "between calls", "The process did not answer in time when it was woken for the next call.") \
    X(TIMEOUT, CHECKS, "checks", "All checks of one size together took longer than the plan allows.") \
    X(BUILD_ERROR, COMPILER, "compiler", "The compiler refused the source; `build.log` has its messages.") \
    X(BUILD_ERROR, TIMEOUT, "timeout", "The compiler did not end in time.") \
    X(BUILD_ERROR, TOO_LARGE, "too_large", "The artifact is too large, or the source is over 4 MiB. Of such a source one byte more than the limit is kept.") \
    X(BUILD_ERROR, LOAD, "load", "The artifact does not load, or has no `assay_kernel`; Python: the file has no entry.") \
    X(BUILD_ERROR, IMPORT, "import", "Python: the file cannot be imported: a syntax error, or an exception at its top level.") \
    X(BUILD_ERROR, MODULE, "module", "Python: the file imports a module that is not there.") \
    X(BUILD_ERROR, CONSTRUCT, "construct", "Python: the constructor raised an exception.") \
    X(BUILD_ERROR, SIGNATURE, "signature", "Python: the constructor or the function takes other arguments than the problem gives.") \
    X(BUILD_ERROR, PARAMETERS, "parameters", "Python: a parameter of the problem fits none of the candidate's.") \
    X(BUILD_ERROR, REHEARSAL, "rehearsal", "Python: compiling and trying it out took too long, or left too much in its folder; or it wants a program when it is loaded that the rehearsal did not see.") \
    X(REJECTED, SANDBOX, "sandbox", "The candidate made a system call that no kernel needs.") \
    X(REJECTED, PHYSICS, "physics", "The time is below what memory, arithmetic or an empty kernel takes on this device.") \
    X(REJECTED, CLOCK, "clock", "The runner's time and the judge's disagree, and did so again in a fresh process.") \
    X(REJECTED, CACHE, "cache", "GPUs: the kernel that holds the device before a call did not sweep its caches.") \
    X(REJECTED, BUSY, "busy", "The candidate's work goes on between calls.") \
    X(REJECTED, LATE, "late", "The candidate wrote to its output after it had said that it was done.") \
    X(REJECTED, MEMORY, "memory", "The candidate holds more memory than the problem allows, or so much device memory that too little is left for the judge.") \
    X(REJECTED, PROTOCOL, "protocol", "The candidate's process broke the protocol between runner and judge.") \
    X(REJECTED, EVIDENCE, "evidence", "The machine code does not use the tensor cores that the problem requires, or hides what it uses; `detail` says which.") \
    X(INFRA, SYSTEM, "system", "The judge could not do its work on this machine.") \
    X(INFRA, DEVICE, "device", "The device failed, or another program keeps it busy.") \
    X(INFRA, EVIDENCE, "evidence", "The problem requires tensor cores, and no machine code can be read here, not even an empty kernel's.")
/* clang-format on */

#endif
