import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Commit } from '../database/wal.ts';
import { until } from '../until.ts';

/*
 * The system calls of a process as strace writes them. Positions are lines of the trace: strace writes events in order,
 * and writes the start and end of a call separately when another event comes between.
 */

const CALLS = 'fdatasync,fsync,write,writev,pwrite64,sendto,sendmsg,?rename,?renameat,?renameat2';
/** Options that show the start and end of a call; the first words of a written text are enough. */
const OPTIONS = ['-D', '-f', '-y', '--seccomp-bpf', '-s', '96', '-e', `trace=${CALLS}`];

/** Returns the command prefix that writes a command's system calls to a file, or why tracing is impossible here. */
export function traced(file: string): { readonly under: readonly string[] } | { readonly why: string } {
  const probe = spawnSync('strace', [...OPTIONS, '-o', file, 'true'], { encoding: 'utf8' });
  if (probe.error !== undefined) return { why: `there is no strace (${probe.error.message})` };
  if (probe.status !== 0) return { why: `strace cannot trace here: ${probe.stderr.trim()}` };
  return { under: ['strace', ...OPTIONS, '-o', file] };
}

/** One system call, with the lines at which it started and ended; an unfinished call has no result. */
export interface Call {
  readonly name: string;
  /** The file or socket of the descriptor. */
  readonly on: string;
  /** The arguments after the descriptor, as in the trace. */
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

/** A successful rename, with the lines at which the call started and ended. */
export interface Rename {
  readonly from: string;
  readonly to: string;
  readonly begin: number;
  readonly end: number;
}

const RENAME = /^(\d+) +rename\w*\([^"]*"([^"]*)", [^"]*"([^"]*)"/;

/** All renames that succeeded. */
export function renamesOf(trace: string): Rename[] {
  const renames: Rename[] = [];
  const open = new Map<string, Omit<Rename, 'end'>>();
  for (const [line, text] of trace.split('\n').entries()) {
    const [, process = '', from = '', to = ''] = RENAME.exec(text) ?? [];
    if (from !== '' && text.endsWith(' = 0')) renames.push({ from, to, begin: line, end: line });
    else if (from !== '' && text.endsWith('<unfinished ...>')) open.set(process, { from, to, begin: line });
    const [, resumed = ''] = /^(\d+) +<\.\.\. rename\w* resumed>.* = 0$/.exec(text) ?? [];
    const begun = open.get(resumed);
    if (begun !== undefined) renames.push({ ...begun, end: line });
  }
  return renames;
}

/** Waits for the tracer, which writes on after the traced process has ended; its last line marks the end. */
export async function wholeTrace(trace: string): Promise<string> {
  let text = '';
  await until(async () => {
    text = await readFile(trace, 'utf8');
    return /\+\+\+ exited with 0 \+\+\+\n$/.test(text);
  }, 'the end of the trace');
  return text;
}

/** The calls on SQLite's write-ahead log. */
export interface LogCalls {
  readonly writes: readonly Call[];
  readonly syncs: readonly Call[];
}

export function logCallsOf(calls: readonly Call[]): LogCalls {
  const own = calls.filter(({ on }) => on.endsWith('.sqlite-wal'));
  return {
    writes: own.filter(({ name }) => name === 'pwrite64'),
    syncs: own.filter(({ name }) => name.startsWith('f')),
  };
}

/** Whether a sync that started after the commit was written had succeeded before a line of the trace. */
export function isSyncedBefore(line: number, commit: Commit, { writes, syncs }: LogCalls): boolean {
  const written = lastWriteOf(commit, writes);
  return syncs.some(({ begin, end, result }) => begin > written && end < line && result === 0);
}

/** The line at which all bytes of a commit were written. */
function lastWriteOf({ from, to }: Commit, writes: readonly Call[]): number {
  const offsets = writes.map(({ rest }) => Number(/, (\d+)$/.exec(rest)?.[1]));
  const own = writes.filter((_, at) => (offsets[at] ?? -1) >= from && (offsets[at] ?? -1) < to);
  assert.ok(own.length > 0, 'a commit that nobody wrote: the log began anew, make the load smaller');
  return Math.max(...own.map(({ end }) => end));
}
