/** The first version whose `process.execve` is no experiment. */
const NODE_MIN = 26;

/** What the C library's allocator and V8 keep of memory that nobody uses any more is decided when a process starts. */
const ALLOCATOR: Readonly<Record<string, string>> = {
  // Each thread else has an arena of its own, which keeps what its largest piece of work took.
  MALLOC_ARENA_MAX: '2',
  // Larger blocks are mapped one by one and go back when they are freed. Left to itself the bound rises to 32 MB.
  MALLOC_MMAP_THRESHOLD_: '262144',
};
/** Of young objects each heap keeps three times as many MB: four heaps take 60 MB less than by default. */
const SEMI_SPACE = '--max-semi-space-size=8';

/** A process as it was started. */
export interface ProcessStart {
  readonly platform: string;
  readonly version: string;
  /** Whether another process speaks to this one over a channel of Node's: a new program would not have it. */
  readonly hasChannel: boolean;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What to start anew with so that little memory is kept; null when that is not to be had, or was decided by somebody. */
export function leanStart({ platform, version, hasChannel, execArgv, env }: ProcessStart) {
  if (platform !== 'linux' || hasChannel || Number.parseInt(version, 10) < NODE_MIN) return null;
  if (Object.keys(ALLOCATOR).some((name) => env[name] !== undefined)) return null;
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].some((flag) => /semi[-_]space/.test(flag));
  return { execArgv: chosen ? execArgv : [...execArgv, SEMI_SPACE], env: { ...env, ...ALLOCATOR } };
}

/**
 * Starts the program of this process anew, in this process, with settings under which it keeps less memory; returns where
 * that is not to be had. Nothing may be open yet but the standard streams.
 */
export function restartLean(): void {
  const { platform, execArgv, env } = process;
  const hasChannel = process.send !== undefined;
  const lean = leanStart({ platform, version: process.versions.node, hasChannel, execArgv, env });
  if (lean === null) return;
  process.execve?.(process.execPath, [process.execPath, ...lean.execArgv, ...process.argv.slice(1)], lean.env);
}
