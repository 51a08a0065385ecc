// Names that other programs rely on: a rename inside the product must not change one of them.
// test/guards/contract/names.json holds them; a name that is added on purpose is added there too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { CONFIG_SCHEMAS } from '../../../src/config/config';
import { sandboxSchema } from '../../../src/dev/demo/sandbox-file';
import { OPTIONS as CONFORMANCE_OPTIONS } from '../../../src/sdk/conformance/settings';
import { createPayctl } from '../../../src/ops/payctl';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes';
import { exposedSeries, isOfAnyProcess } from '../../support/docs/exposed-metrics';
import { ROOT } from '../../support/programs/fixture-project';
import { exportsOf, exportsOfPython } from '../../support/sdk-exports';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const expected: unknown = JSON.parse(read('test/guards/contract/names.json'));
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** Each command with its arguments and options. */
function commandsOf(parent: Command, path = ''): readonly string[] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    const words = [
      name,
      ...command.registeredArguments.map((argument) => argument.name()),
      ...command.options.map(({ flags }) => flags),
    ];
    const isNoun = command.commands.length > 0 && command.options.length === 0;
    return [...(isNoun ? [] : [words.join(' ')]), ...commandsOf(command, `${name} `)];
  });
}

const settingsOf = (schemas: readonly z.ZodObject[]) =>
  sorted(schemas.flatMap((schema) => Object.keys(schema.shape)));

it('keeps every name that other programs rely on', async () => {
  const series = (await exposedSeries()).filter((one) => !isOfAnyProcess(one));
  expect({
    payctl: sorted(commandsOf(createPayctl())),
    environment: settingsOf(Object.values(CONFIG_SCHEMAS)),
    metrics: sorted(series.map(({ name, labels }) => [name, ...Object.keys(labels)].join(' '))),
    searchAttributes: sorted(SEARCH_ATTRIBUTES.map(({ name }) => name)),
    sdk: sorted(exportsOf('index')),
    sdkPython: sorted(exportsOfPython()),
    conformance: sorted(Object.keys(CONFORMANCE_OPTIONS)),
    sandbox: sorted(Object.keys(sandboxSchema.shape)),
  }).toEqual(expected);
});
