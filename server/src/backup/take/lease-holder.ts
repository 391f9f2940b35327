import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** Marks a holder that names its process: a UUID of version 8 holds what its maker wants. */
const NAMES_PROCESS = /^([0-9a-f]{12})8[0-9a-f]{3}a([0-9a-f]{7})([0-9a-f]{8})$/;

/** Returns the holder of a lease: this process, made unique by the given UUID; without `/proc` the UUID alone. */
export function leaseHolder(uuid: string): string {
  const machine = machineId();
  const start = startOf(process.pid);
  if (machine === null || start === null) return uuid;
  const pid = process.pid.toString(16).padStart(7, '0');
  const hex = `${machine}8${uuid.replaceAll('-', '').slice(13, 16)}a${pid}${start}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns whether the process of a holder ran on this machine, since it was booted, and has ended. */
export function hasEnded(holder: string): boolean {
  const [, machine, pid = '', start] = NAMES_PROCESS.exec(holder.replaceAll('-', '')) ?? [];
  return machine !== undefined && machine === machineId() && startOf(Number.parseInt(pid, 16)) !== start;
}

/** Returns an id of this boot and of the container, within which process ids are unique; null where there is none. */
function machineId(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return createHash('sha256').update(boot).update(readlinkSync('/proc/self/ns/pid')).digest('hex').slice(0, 12);
  } catch {
    return null;
  }
}

/** Returns when a process started, in ticks since the boot as eight hex digits; null if it has ended. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything; the state follows it.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return null;
    return BigInt.asUintN(32, BigInt(fields[18] ?? '0'))
      .toString(16)
      .padStart(8, '0');
  } catch {
    return null;
  }
}
