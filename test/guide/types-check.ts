// Compiles the guide's TypeScript programs against the packed SDK, with the strictest settings that
// a partner may have.
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';
import { readSnippets } from './snippets';
import { demand, type Workplace } from './workplace';

export async function checkTypes(place: Workplace): Promise<void> {
  const programs = readSnippets()
    .map(({ file }) => file)
    .filter((file) => file.endsWith('.mts'));
  const ran = await place.run([
    'node',
    join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'),
    ...programs,
    ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'],
    ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')],
    ...['--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'],
  ]);
  demand(ran.code === 0, 'the TypeScript programs of the guide do not fit the SDK', ran);
}
