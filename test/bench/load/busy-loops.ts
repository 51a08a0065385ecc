// Processes that use a core each, as other programs on the machine of a worker do.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Starts one busy loop a core. @returns a function that ends them */
export function startBusyLoops(): () => void {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
}
