/** Facts about a server, as this browser sees it. */
export interface ServerFacts {
  /** The address of the server as this page reaches it. */
  readonly origin: string;
  /** Whether the browser trusts the connection. */
  readonly isSecure: boolean;
  /** The address that the server tells to others; null if it could not be read. */
  readonly publicUrl: string | null;
  /** Whether a WebSocket could be opened. */
  readonly hasSocket: boolean;
  /** How far the clock of the server is from the one here; null if it could not be read. */
  readonly clockOffMs: number | null;
  readonly isDiskFull: boolean;
  readonly isDatabaseDamaged: boolean;
  /** Whether the last backup failed. */
  readonly isBackupFailed: boolean;
  /** When the last backup ended, in ISO 8601. */
  readonly lastBackupAt: string | null;
}

export const CHECKS = ['secure', 'address', 'socket', 'clock', 'disk', 'database', 'backup'] as const;

/** A check: `warning` is something that works here but is worth changing. */
export interface Check {
  readonly id: (typeof CHECKS)[number];
  readonly state: 'ok' | 'warning' | 'fault';
}

const CLOCK_MS = 60_000;
const BACKUP_MS = 3 * 24 * 60 * 60_000;

/** Judges the facts at a moment, in epoch milliseconds. A connection within this machine needs no encryption. */
export function judge(facts: ServerFacts, now: number): Check[] {
  const states: Record<Check['id'], Check['state']> = {
    secure: facts.isSecure ? 'ok' : 'fault',
    address: stateOfAddress(facts),
    socket: facts.hasSocket ? 'ok' : 'fault',
    clock: Math.abs(facts.clockOffMs ?? 0) <= CLOCK_MS ? 'ok' : 'fault',
    disk: facts.isDiskFull ? 'fault' : 'ok',
    database: facts.isDatabaseDamaged ? 'fault' : 'ok',
    backup: stateOfBackup(facts, now),
  };
  const needsEncryption = !isOnThisMachine(facts);
  return CHECKS.filter((id) => id !== 'secure' || needsEncryption).map((id) => ({ id, state: states[id] }));
}

/** Whether nothing goes over a network: browsers trust `http` only where the server is on the same machine. */
function isOnThisMachine({ isSecure, origin }: ServerFacts): boolean {
  return isSecure && new URL(origin).protocol === 'http:';
}

function stateOfAddress({ origin, publicUrl }: ServerFacts): Check['state'] {
  if (publicUrl === null) return 'warning';
  return new URL(publicUrl).href === new URL(origin).href ? 'ok' : 'fault';
}

function stateOfBackup({ isBackupFailed, lastBackupAt }: ServerFacts, now: number): Check['state'] {
  if (isBackupFailed) return 'fault';
  return isRecent(lastBackupAt, now) ? 'ok' : 'warning';
}

function isRecent(time: string | null, now: number): boolean {
  return time !== null && now - Date.parse(time) <= BACKUP_MS;
}
