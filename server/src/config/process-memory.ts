import { getHeapStatistics } from 'node:v8';

/** The first version in which `process.execve` is not experimental. */
const NODE_MIN = 26;

/**
 * Settings that limit the unused memory kept by the C library's allocator; they are read only when a process starts.
 */
const ALLOCATOR: Readonly<Record<string, string>> = {
  // Otherwise each thread has an arena of its own, which keeps the memory of its largest piece of work.
  MALLOC_ARENA_MAX: '2',
  // Larger blocks are mapped one by one and returned when freed. Without this setting the threshold rises to 32 MB.
  MALLOC_MMAP_THRESHOLD_: '262144',
};
/**
 * The size of the young generation, of which each heap keeps up to three times as much. By default it is twice as large;
 * with half of this, objects of a request outlive it more often, and pages of changes and long lists of links take
 * more processor time.
 */
const SEMI_SPACE = '--max-semi-space-size=16';
/**
 * The limit of the main heap in MB. With a limit of 2 GB or more V8 lets a heap grow to four times what is in use before
 * it collects garbage; below, to twice.
 */
const HEAP_MAX_MB = 2000;

/**
 * The size in MB up to which the main heap grows before its first full collection, at most a quarter of its limit. By
 * default that collection comes while the first requests are answered, and takes as long as they do; garbage of the
 * start is collected when the server is idle.
 */
const HEAP_INITIAL_MB = 128;

/** A smaller heap would end the process instead of making it smaller. */
const HEAP_MIN_MB = 160;

export interface ProcessStart {
  readonly platform: string;
  readonly version: string;
  /** Whether another process is connected to this one by Node's IPC channel, which a restarted program would lose. */
  readonly hasChannel: boolean;
  readonly execArgv: readonly string[];
  /** The limit that V8 chose for the main heap, from the memory of the machine. */
  readonly heapLimitMb: number;
  /** The memory that the process should about need; null for the limits that V8 chooses. */
  readonly memoryMb: number | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the environment and flags for a restart with low memory use; null when that is impossible, or the operator
 * has set them.
 */
export function leanStart({ platform, version, hasChannel, execArgv, heapLimitMb, memoryMb, env }: ProcessStart) {
  if (platform !== 'linux' || hasChannel || Number.parseInt(version, 10) < NODE_MIN) return null;
  if (Object.keys(ALLOCATOR).some((name) => env[name] !== undefined)) return null;
  const isChosen = (name: RegExp) => [...execArgv, env.NODE_OPTIONS ?? ''].some((flag) => name.test(flag));
  const flags: string[] = [];
  if (!isChosen(/semi[-_]space/)) flags.push(SEMI_SPACE);
  const heapMax = Math.min(HEAP_MAX_MB, Math.max(HEAP_MIN_MB, Math.floor((memoryMb ?? Number.POSITIVE_INFINITY) / 2)));
  const initial = Math.min(HEAP_INITIAL_MB, Math.floor(Math.min(heapMax, heapLimitMb) / 4));
  if (!isChosen(/initial[-_](old|heap)/)) flags.push(`--initial-old-space-size=${initial}`);
  if (!isChosen(/max[-_]old[-_]space/) && heapLimitMb > heapMax) flags.push(`--max-old-space-size=${heapMax}`);
  return { execArgv: [...execArgv, ...flags], env: { ...env, ...ALLOCATOR } };
}

/** Restarts the program inside this process; returns if that is impossible. Only standard streams may be open. */
export function restartLean(memoryMb: number | null, isExecutable: boolean): void {
  const lean = leanStart({
    platform: process.platform,
    version: process.versions.node,
    hasChannel: process.send !== undefined,
    execArgv: process.execArgv,
    heapLimitMb: getHeapStatistics().heap_size_limit / 1024 / 1024,
    memoryMb,
    env: process.env,
  });
  if (lean === null) return;
  const { execPath, argv } = process;
  // The executable would take flags for arguments of its own.
  const args = isExecutable
    ? [`--node-options=${lean.execArgv.join(' ')}`, ...argv.slice(2)]
    : [...lean.execArgv, ...argv.slice(1)];
  process.execve?.(execPath, [execPath, ...args], lean.env);
}
