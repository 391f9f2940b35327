import { spawnSync } from 'node:child_process';

/*
 * The system calls of a process as strace writes them down. A place is a line of the trace: of two calls, strace writes
 * first what happened first, a call's begin and its end apart when something came between.
 */

const CALLS = 'fdatasync,fsync,write,writev,pwrite64,sendto,sendmsg';
/** What a call needs to begin and end; more of a written text than its first words is never needed. */
const OPTIONS = ['-D', '-f', '-y', '--seccomp-bpf', '-s', '96', '-e', `trace=${CALLS}`];

/** What to run a command under so that its calls are written to a file, or why that cannot be done here. */
export function traced(file: string): { readonly under: readonly string[] } | { readonly why: string } {
  const probe = spawnSync('strace', [...OPTIONS, '-o', file, 'true'], { encoding: 'utf8' });
  if (probe.error !== undefined) return { why: `there is no strace (${probe.error.message})` };
  if (probe.status !== 0) return { why: `strace cannot trace here: ${probe.stderr.trim()}` };
  return { under: ['strace', ...OPTIONS, '-o', file] };
}

/** One system call: the lines at which it began and ended; one that has not ended has no result. */
export interface Call {
  readonly name: string;
  /** What the descriptor is open on. */
  readonly on: string;
  /** The arguments after the descriptor, as written down. */
  readonly rest: string;
  readonly begin: number;
  readonly end: number;
  readonly result: number | null;
}

const WHOLE = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)\) += (-?\d+)/;
const BEGUN = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*) <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>.*\) += (-?\d+)/;

export function callsOf(trace: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, number>();
  for (const [line, text] of trace.split('\n').entries()) {
    const resumed = RESUMED.exec(text);
    if (resumed !== null) {
      const at = open.get(`${resumed[1]} ${resumed[2]}`) ?? -1;
      const call = calls[at];
      if (call !== undefined) calls[at] = { ...call, end: line, result: Number(resumed[3]) };
      continue;
    }
    const whole = WHOLE.exec(text);
    const [, process = '', name = '', on = '', rest = '', result] = whole ?? BEGUN.exec(text) ?? [];
    if (name === '') continue;
    if (whole === null) open.set(`${process} ${name}`, calls.length);
    const ended =
      whole === null ? { end: Number.POSITIVE_INFINITY, result: null } : { end: line, result: Number(result) };
    calls.push({ name, on, rest, begin: line, ...ended });
  }
  return calls;
}
