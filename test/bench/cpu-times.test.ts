// CPU by process: what counts as whose, and how it is told of a request.
import { execFileSync } from 'node:child_process';
import { cpuBetween, openCpuBook, readCpuTimes } from './cpu-times';

const me = [{ name: 'me', pid: process.pid }];

describe('CPU times', () => {
  it('of a child that has ended are its parent’s, where the kernel tells', () => {
    const before = readCpuTimes(me);
    execFileSync(process.execPath, ['--eval', 'for (let i = 0; i < 1e8; i += 1);']);
    const took = cpuBetween(before, readCpuTimes(me)).get('me') ?? 0;
    expect(took > 0).toBe(process.platform === 'linux');
  });

  it('are told as milliseconds a request, by side and process', () => {
    const book = openCpuBook('create');
    book.add('ours', 100, new Map([['api', 50]]));
    book.add(
      'ours',
      300,
      new Map([
        ['api', 150],
        ['postgres', 40],
      ]),
    );
    book.add('reference', 100, new Map([['bare', 10]]));
    expect(book.costs()).toEqual([
      { name: 'create', side: 'ours', ms: { api: 0.5, postgres: 0.1 } },
      { name: 'create', side: 'reference', ms: { bare: 0.1 } },
    ]);
  });

  it('leave out a process that did nothing', () => {
    const book = openCpuBook('create');
    book.add('ours', 10, new Map([['worker', 0]]));
    expect(book.costs()).toEqual([{ name: 'create', side: 'ours', ms: {} }]);
  });
});
