// Mistakes about whose database it is (decision 128).
import type { TestMutation } from '../mutation';

export const ENVIRONMENT_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a process works on the database of another environment',
    file: 'src/main/open-database.ts',
    find: 'if (owner?.environment === environment) return undefined;',
    replace: 'if (owner !== undefined) return undefined;',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'a process is not given that of another, nor one that is nobody’s yet',
  },
  {
    name: 'a process works on a database of another baseline',
    file: 'src/main/open-database.ts',
    find: 'if (owner !== undefined && !isOfOurBaseline(owner)) return otherBaseline();',
    replace: '',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'is not given one of another baseline, though it is of its environment',
  },
  {
    name: 'a database belongs to whoever has migrated it last',
    file: 'src/postgres/service-environment.ts',
    find: 'on conflict (is_only) do nothing',
    replace: 'on conflict (is_only) do update set environment = excluded.environment',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'is on record from the first time, and another one changes nothing',
  },
  {
    name: 'work goes over a connection before it has said whose it is',
    file: 'src/postgres/database.ts',
    find: 'onConnect: admit,',
    replace: 'onConnect: (client) => void admit?.(client).catch(() => undefined),',
    tests: ['test/postgres/service-environment.test.ts'],
    mustFail: 'asks whose it is before anything else when it is back',
  },
];
