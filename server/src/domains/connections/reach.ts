import { invalid } from '@notevault/protocol/errors.ts';
import { parseUuid, type VaultId } from '@notevault/protocol/ids.ts';
import type { Level, Reach } from '../accounts/accounts.ts';

const RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, write: 2 };
export const LEVELS = Object.keys(RANK) as Level[];
/** Scopes a connection may be limited to; `offline_access` says nothing of vaults. */
const SCOPE_LEVELS: Readonly<Record<string, Level>> = { mcp: 'write', 'mcp:read': 'read' };
const VAULTS_MAX = 10_000;

/** What a connection was given: a default, exceptions to it, and a scope that may lower both. */
export interface Grant {
  readonly defaultLevel: Level;
  readonly levels: ReadonlyMap<VaultId, Level>;
  readonly scope: string | null;
}

/** What a grant comes to: on every vault the lower of its level there and its scope (contract section 11). */
export function reachOf({ defaultLevel, levels, scope }: Grant): Reach {
  const top = scopeLevel(scope);
  const vaults = new Map([...levels].map(([id, level]) => [id, lower(level, top)]));
  return { vaults, elsewhere: lower(defaultLevel, top) };
}

/** The most that a scope allows: no scope and `mcp` allow all, `mcp:read` reading, words of no meaning here nothing. */
export function scopeLevel(scope: string | null): Level {
  const words = (scope ?? '').split(' ').filter((word) => word !== '' && word !== 'offline_access');
  if (words.length === 0) return 'write';
  return words.map((word) => SCOPE_LEVELS[word] ?? 'none').reduce((a, b) => (RANK[a] >= RANK[b] ? a : b));
}

/** What two reaches have in common: on every vault the lower level. */
export function narrower(a: Reach, b: Reach): Reach {
  const levelIn = (reach: Reach, id: VaultId) => reach.vaults.get(id) ?? reach.elsewhere;
  const ids = [...a.vaults.keys(), ...b.vaults.keys()];
  const vaults = new Map(ids.map((id) => [id, lower(levelIn(a, id), levelIn(b, id))]));
  return { vaults, elsewhere: lower(a.elsewhere, b.elsewhere) };
}

function lower(a: Level, b: Level): Level {
  return RANK[a] <= RANK[b] ? a : b;
}

/** The only vault that a grant can ever reach, of those that are there; null when there are several or more may come. */
export function onlyVault({ defaultLevel, levels }: Omit<Grant, 'scope'>): VaultId | null {
  if (defaultLevel !== 'none') return null;
  const reached = [...levels].filter(([, level]) => level !== 'none').map(([id]) => id);
  return reached.length === 1 ? (reached[0] ?? null) : null;
}

/** A reach as a client asks for it. */
export interface SentReach {
  readonly default_access?: Level | null;
  readonly vault_access?: Readonly<Record<string, unknown>> | null;
  readonly scope?: string | null;
}

/** Throws `validation`. Whether the vaults named are the caller's own is for the transaction to see. */
export function readReach({ default_access, vault_access, scope }: SentReach): Grant {
  const entries = Object.entries(vault_access ?? {});
  if (entries.length > VAULTS_MAX) throw refused(`must name at most ${VAULTS_MAX} vaults`);
  const levels = new Map<VaultId, Level>();
  for (const [text, level] of entries) {
    const id = parseUuid(text);
    if (id === null) throw notYours();
    if (!LEVELS.includes(level as Level)) throw refused('must give none, read or write for each vault');
    levels.set(id as VaultId, level as Level);
  }
  if (scope != null && !Object.hasOwn(SCOPE_LEVELS, scope)) throw refused('the scope must be mcp or mcp:read');
  const defaultLevel = default_access ?? (vault_access == null ? 'write' : 'none');
  const reachesAny = [defaultLevel, ...levels.values()].some((level) => level !== 'none');
  if (!reachesAny) throw refused('must reach at least one vault, now or later');
  return { defaultLevel, levels, scope: scope ?? null };
}

/** The refusal of a vault that is unknown or somebody else's, alike. */
export function notYours() {
  return refused('must name vaults of your own');
}

function refused(why: string) {
  return invalid({ vault_access: [why] });
}
