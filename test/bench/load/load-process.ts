// The load process: runs the blocks that it receives, one at a time, and exits with its parent
// process.
import { runBlock, type Block } from './load-client';

process.on('message', (block: Block) => {
  runBlock(block).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
// Ctrl-C reaches this process too. The parent stops everything in order and then disconnects.
process.on('SIGINT', () => undefined);
