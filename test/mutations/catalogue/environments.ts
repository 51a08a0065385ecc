// Mutations of the check that a database belongs to this environment (decision 128).
import type { TestMutation } from '../mutation';

export const ENVIRONMENT_MUTATIONS: readonly TestMutation[] = [
  {
    name: 'a process works on the database of another environment',
    file: 'src/main/open-database.ts',
    find: 'if (owner?.environment === environment) return undefined;',
    replace: 'if (owner !== undefined) return undefined;',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'a process does not open a database of another environment, nor one without an owner',
  },
  {
    name: 'a process works on a database of another baseline',
    file: 'src/main/open-database.ts',
    find: 'if (owner !== undefined && !isOfOurBaseline(owner)) return otherBaseline();',
    replace: '',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'does not open a database of another baseline, even of its environment',
  },
  {
    name: 'a running process exits when another key has replaced its own',
    file: 'src/main/open-database.ts',
    find: 'isRight ||= await opensStoredSecrets(connection, seal);',
    replace: 'isRight = await opensStoredSecrets(connection, seal);',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'goes on when another key has replaced its own since it began',
  },
  {
    name: 'a later migration changes the environment of a database',
    file: 'src/postgres/service-environment.ts',
    find: 'on conflict (is_only) do nothing',
    replace: 'on conflict (is_only) do update set environment = excluded.environment',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'is recorded once, and another one does not replace it',
  },
  {
    name: 'a connection is used before the environment of its database is checked',
    file: 'src/postgres/database.ts',
    find: 'await admit?.(client);',
    replace: 'void admit?.(client).catch(() => undefined);',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'reads the owner first once Postgres is back',
  },
];
