import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leanStart, type ProcessStart } from './process-memory.ts';

const start: ProcessStart = {
  platform: 'linux',
  version: '26.1.0',
  hasChannel: false,
  execArgv: ['--import', './probe.ts'],
  heapLimitMb: 1000,
  memoryMb: null,
  env: { PATH: '/bin' },
};

test('leanStart restarts a server with settings of the allocator, once', () => {
  const lean = leanStart(start);
  assert.deepEqual(lean, {
    execArgv: ['--import', './probe.ts', '--max-semi-space-size=16', '--initial-old-space-size=128'],
    env: { PATH: '/bin', MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' },
  });
  assert.equal(leanStart({ ...start, ...lean }), null);
});

test('leanStart bounds the heap by half of the memory that the process should need', () => {
  const heap = (memoryMb: number) => leanStart({ ...start, heapLimitMb: 4000, memoryMb })?.execArgv.at(-1);
  assert.equal(heap(512), '--max-old-space-size=256');
  assert.equal(heap(128), '--max-old-space-size=160', 'a smaller one would end the process');
  assert.equal(heap(16_000), '--max-old-space-size=2000');
});

test('leanStart keeps memory settings that somebody has made', () => {
  assert.equal(leanStart({ ...start, env: { MALLOC_ARENA_MAX: '8' } }), null);
  assert.equal(leanStart({ ...start, env: { MALLOC_MMAP_THRESHOLD_: '1' } }), null);
  const flags = ['--max_semi_space_size=64', '--initial-heap-size=64'];
  assert.deepEqual(leanStart({ ...start, execArgv: flags })?.execArgv, flags);
  const env = { NODE_OPTIONS: '--max-semi-space-size=64' };
  assert.deepEqual(leanStart({ ...start, env })?.execArgv, [...start.execArgv, '--initial-old-space-size=128']);
});

test('leanStart does nothing where a process cannot restart, or would lose a channel', () => {
  assert.equal(leanStart({ ...start, platform: 'darwin' }), null);
  assert.equal(leanStart({ ...start, version: '24.11.0' }), null);
  assert.equal(leanStart({ ...start, hasChannel: true }), null);
});

test('the main heap is limited to 2 GB where V8 would let it have more, unless a limit is given', () => {
  const flags = (more: Partial<ProcessStart>) => leanStart({ ...start, execArgv: [], ...more })?.execArgv;
  const always = ['--max-semi-space-size=16', '--initial-old-space-size=128'];
  assert.deepEqual(flags({ heapLimitMb: 4000 }), [...always, '--max-old-space-size=2000']);
  assert.deepEqual(flags({ heapLimitMb: 4000, env: { NODE_OPTIONS: '--max-old-space-size=4000' } }), always);
});

test('the first full collection of a small heap is not put off', () => {
  const flags = leanStart({ ...start, execArgv: [], memoryMb: 128 })?.execArgv;
  assert.deepEqual(flags, ['--max-semi-space-size=16', '--initial-old-space-size=40', '--max-old-space-size=160']);
});
