// The other end of the load process, whose work must not run in the process that prepares requests and counts.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Block, BlockResult } from './load-client';

export interface Load {
  /** One at a time. @throws Error when a connection broke, or the process has ended */
  run(block: Block): Promise<BlockResult>;
  close(): void;
}

type Answer = { readonly result: BlockResult } | { readonly failure: string };

export function startLoad(): Load {
  const child = fork(join(__dirname, 'load-process.ts'), {
    execArgv: ['--require', 'tsx/cjs'],
    // Bytes travel as bytes.
    serialization: 'advanced',
  });
  return {
    run: (block) => ask(child, block),
    close() {
      if (child.connected) child.disconnect();
    },
  };
}

function ask(child: ChildProcess, block: Block): Promise<BlockResult> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer) => {
      child.removeListener('exit', onExit);
      if ('result' in answer) resolve(answer.result);
      else reject(new Error(`the load process failed: ${answer.failure}`));
    };
    const onExit = () => {
      child.removeListener('message', onMessage);
      reject(new Error('the load process has ended'));
    };
    child.once('message', onMessage).once('exit', onExit);
    child.send(block);
  });
}
