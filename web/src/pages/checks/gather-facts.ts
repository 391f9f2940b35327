import type { AdminHealth } from '@notevault/protocol/admin.ts';
import { BASE, serverUrl } from '../../platform/base.ts';
import type { ServerFacts } from './checks.ts';

const SOCKET_MS = 8_000;

/** Gathers the facts about the server that this browser can read. Never throws: unreadable facts stay unknown. */
export async function gatherFacts(health: AdminHealth): Promise<ServerFacts> {
  const origin = serverUrl();
  const [resource, ready, hasSocket] = await Promise.all([
    fetchJson(`${BASE}.well-known/oauth-protected-resource`),
    fetchJson(`${BASE}readyz`),
    opensSocket(),
  ]);
  const url = resource.body.resource;
  return {
    origin,
    isSecure: isSecureContext,
    publicUrl: typeof url === 'string' ? url : null,
    hasSocket,
    clockOffMs: ready.date === null ? null : ready.date - Date.now(),
    isDiskFull: ready.body.storage === 'full',
    isDatabaseDamaged: ready.body.database === 'damaged',
    isBackupFailed: health.backup_failed_at !== null,
    lastBackupAt: health.last_backup_at,
  };
}

interface JsonAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  /** The time of the answer, in epoch milliseconds. */
  readonly date: number | null;
}

async function fetchJson(path: string): Promise<JsonAnswer> {
  try {
    const answer = await fetch(path, { headers: { accept: 'application/json' }, cache: 'no-store' });
    const date = Date.parse(answer.headers.get('date') ?? '');
    return { body: await answer.json(), date: Number.isNaN(date) ? null : date };
  } catch {
    return { body: {}, date: null };
  }
}

/** Whether a WebSocket reaches the server: some proxies let none through. */
function opensSocket(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${serverUrl().replace(/^http/, 'ws')}/api/sync/socket`);
    const end = (opened: boolean) => {
      clearTimeout(timer);
      resolve(opened);
      socket.close();
    };
    const timer = setTimeout(() => end(false), SOCKET_MS);
    socket.onopen = () => end(true);
    socket.onerror = () => end(false);
  });
}
