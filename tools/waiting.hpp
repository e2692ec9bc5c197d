#pragma once

/// \file
/// How OpenMP's threads wait for work.
namespace kvcanary::tools {

/// Lets OpenMP's threads sleep while they wait, unless the environment says how they are to wait
/// (OMP_WAIT_POLICY, GOMP_SPINCOUNT or KMP_BLOCKTIME is set). By default they spin for a while,
/// which takes the processor from whom they wait for when other programs keep the cores busy.
///
/// GCC's libgomp reads the environment when it is loaded, before main: so this sets
/// OMP_WAIT_POLICY=passive and starts the program anew, once. Call it first in main. It returns
/// when there is nothing to do, or when the program cannot be started again; the threads then spin.
///
/// https://gcc.gnu.org/onlinedocs/libgomp/OMP_005fWAIT_005fPOLICY.html and GOMP_005fSPINCOUNT.html
void let_waiting_threads_sleep(char** argv);

}  // namespace kvcanary::tools
