// Starts and calls the load process. Sending must not share a process with preparing and counting.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { RUN_TYPESCRIPT } from '../../../src/dev/tools';
import type { Block, BlockResult } from './load-client';

export interface Load {
  /** Runs one block at a time. @throws Error when a connection breaks or the process has exited */
  run(block: Block): Promise<BlockResult>;
  close(): void;
}

type Answer = { readonly result: BlockResult } | { readonly failure: string };

export function startLoad(): Load {
  const child = fork(join(__dirname, 'load-process.ts'), {
    execArgv: RUN_TYPESCRIPT,
    // Passes byte arrays without encoding them as JSON.
    serialization: 'advanced',
  });
  return {
    run: (block) => send(child, block),
    close() {
      if (child.connected) child.disconnect();
    },
  };
}

function send(child: ChildProcess, block: Block): Promise<BlockResult> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer) => {
      child.removeListener('exit', onExit);
      if ('result' in answer) resolve(answer.result);
      else reject(new Error(`the load process failed: ${answer.failure}`));
    };
    const onExit = () => {
      child.removeListener('message', onMessage);
      reject(new Error('the load process has exited'));
    };
    child.once('message', onMessage).once('exit', onExit);
    child.send(block);
  });
}
