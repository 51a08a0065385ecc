// The load process: runs the blocks it is sent, one at a time, and ends with the process that started it.
import { runBlock, type Block } from './load-client';

process.on('message', (block: Block) => {
  runBlock(block).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
// Ctrl-C reaches us too; who started us stops everything in order and then disconnects.
process.on('SIGINT', () => undefined);
