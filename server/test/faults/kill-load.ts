import { createHash } from 'node:crypto';
import { type Answer, Caller } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import { addFileSlots, type FileLedger, type FileSlot, newFileLedger, purgeVault, writeFile } from './kill-files.ts';

/** A path for a note: the state that its server acknowledged, and the request that was sent but not answered. */
export interface Slot {
  readonly vault: string;
  readonly path: string;
  /** The last acknowledged state. */
  known: Known;
  /** Sent and not acknowledged: it must have happened completely or not at all. */
  pending: Sent | null;
}

/** `last` is the last version of the note that was at the path, 0 for none: a note created there continues from it. */
export type Known =
  | { readonly kind: 'absent'; readonly last: number; readonly deleted: Deleted | null }
  | { readonly kind: 'live'; readonly note: Acknowledged };
/** A note in the trash, as it was acknowledged before its deletion. */
export type Deleted = Pick<Acknowledged, 'id' | 'hash'>;
export interface Acknowledged {
  readonly id: string;
  readonly version: number;
  readonly hash: string;
  readonly content: string;
  /** The text of the previous version, if that was acknowledged too. */
  readonly before: string | null;
}

export type Sent =
  | { readonly kind: 'delete' }
  | { readonly kind: 'end' }
  | ({ readonly kind: 'restore' } & Deleted)
  | {
      readonly kind: 'write';
      /** Occurs in the text of this write only. */
      readonly token: string;
      /** Hash of the text sent; null for a merged edit, whose result only the server knows. */
      readonly hash: string | null;
    };

/** Writes sent and acknowledged by one account, over any number of servers on the same data. */
export interface Ledger {
  readonly token: string;
  readonly slots: Slot[];
  /** Acknowledged vaults by the client's own id for them; null while not acknowledged. */
  readonly vaults: Map<string, string | null>;
  readonly files: FileLedger;
  /** Total number of acknowledged writes. */
  acknowledged: number;
  /** Answers that a healthy server never gives. */
  readonly refused: string[];
  writes: number;
}

export const hashOf = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

export function callerOf(url: string, ledger: Pick<Ledger, 'token'>): Caller {
  return new Caller(url, async () => ({ authorization: `Bearer ${ledger.token}` }));
}

/** Creates alice's account, three vaults and many note paths in each, deep and shallow. */
export async function newLedger(url: string): Promise<Ledger> {
  const credentials = { email: 'alice@example.org', password: 'a long enough password' };
  const signed = await registerAt(url, credentials);
  const token: string = signed.body.access_token;
  const asAlice = new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
  const { key } = (await asAlice.post('/api-keys', { name: 'uploads' })).body;
  const ledger: Ledger = { token, slots: [], vaults: new Map(), files: newFileLedger(key), ...COUNTS() };
  for (const name of ['first', 'second', 'third']) {
    const made = await callerOf(url, ledger).post('/vaults/register', { client_id: name, name });
    ledger.vaults.set(name, made.body.id);
    addSlots(ledger, made.body.id, 40);
    addFileSlots(ledger.files, made.body.id);
  }
  return ledger;
}

const COUNTS = () => ({ acknowledged: 0, refused: [], writes: 0 });

function addSlots(ledger: Ledger, vault: string, count: number): void {
  for (let at = 0; at < count; at++) {
    const folder = ['', `f${at % 5}/`, `f${at % 5}/deep${at % 3}/`, 'Ärger/'][at % 4] ?? '';
    ledger.slots.push({
      vault,
      path: `${folder}note-${at}.md`,
      known: { kind: 'absent', last: 0, deleted: null },
      pending: null,
    });
  }
}

/** Signs in again: a session lasts minutes, a long run hours. */
export async function signInAgain(url: string, ledger: Ledger): Promise<Ledger> {
  const answer = await new Caller(url).post('/auth/login', {
    email: 'alice@example.org',
    password: 'a long enough password',
  });
  return Object.assign(ledger, { token: answer.body.access_token });
}

const AT_ONCE = 24;

/**
 * Writes from many clients at once, one write at a time per note, until the server is gone. After each acknowledgement
 * the client waits for `acknowledged`.
 */
export async function load(url: string, ledger: Ledger, random: Random, acknowledged: () => unknown): Promise<void> {
  const free = new Set<Slot | FileSlot>([...ledger.slots, ...ledger.files.slots]);
  const caller = callerOf(url, ledger);
  const hand = async () => {
    for (;;) {
      const slot = random.pick([...free]);
      free.delete(slot);
      const going = await step(caller, ledger, slot, random);
      if (!going) return;
      free.add(slot);
      await acknowledged();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
}

/** Makes one write; false when the server is gone. */
function step(caller: Caller, ledger: Ledger, slot: Slot | FileSlot, random: Random): Promise<boolean> {
  if (random.chance(0.01)) return newVault(caller, ledger);
  if (random.chance(0.01)) return purgeVault(caller, ledger.files, random);
  if ('kept' in slot) return writeFile(caller, ledger.files, slot, random);
  return write(caller, ledger, slot, random);
}

/** Writes to one note; false when the server is gone. */
async function write(caller: Caller, ledger: Ledger, slot: Slot, random: Random): Promise<boolean> {
  const { known } = slot;
  const headers = { 'x-vault-id': slot.vault };
  if (known.kind === 'live' && random.chance(0.2)) {
    slot.pending = { kind: 'delete' };
    const byId = random.chance(0.5) ? `/notes/by-id/${known.note.id}` : `/notes/${encodeURI(slot.path)}`;
    const answer = await caller.delete(byId, undefined, headers).catch(() => null);
    return settle(ledger, slot, answer, () => ({ kind: 'absent', last: known.note.version, deleted: known.note }));
  }
  if (known.kind === 'absent' && known.deleted !== null && random.chance(0.5)) {
    return useTrash(caller, ledger, slot, known.last, known.deleted, random.chance(0.3));
  }
  const live = known.kind === 'live' ? known.note : null;
  const token = `t${ledger.writes++}x`;
  // Sent as an edit of the previous version: the added text must be kept whole, whatever the last version changed.
  const stale = live?.before != null && random.chance(0.3);
  const content = stale ? `${live.before}${token}\n` : textFor(ledger, token, random);
  const version = stale ? live.version - 1 : live !== null && random.chance(0.8) ? live.version : null;
  slot.pending = { kind: 'write', token, hash: stale ? null : hashOf(content) };
  const body = { path: slot.path, content, mtime: 1, ...(version === null ? {} : { version }) };
  const answer = await caller.post('/notes', body, headers).catch(() => null);
  return settle(ledger, slot, answer, ({ body: { note } }) => {
    const { id, version, content, content_hash: hash } = note;
    const before = live !== null && live.id === id && live.version === version - 1 ? live.content : null;
    return { kind: 'live', note: { id, version, hash, content, before } };
  });
}

/** Restores a note from the trash, or ends it there; false when the server is gone. */
async function useTrash(
  caller: Caller,
  ledger: Ledger,
  slot: Slot,
  last: number,
  { id, hash }: Deleted,
  forGood: boolean,
): Promise<boolean> {
  const headers = { 'x-vault-id': slot.vault };
  if (forGood) {
    slot.pending = { kind: 'end' };
    const answer = await caller.delete(`/trash/${id}`, undefined, headers).catch(() => null);
    return settle(ledger, slot, answer, () => ({ kind: 'absent', last, deleted: null }));
  }
  slot.pending = { kind: 'restore', id, hash };
  const answer = await caller.post(`/trash/${id}/restore`, {}, headers).catch(() => null);
  return settle(ledger, slot, answer, ({ body: { note } }) => {
    const { version, content } = note;
    return { kind: 'live', note: { id: note.id, version, hash: note.content_hash, content, before: null } };
  });
}

/** The last known version of the note at a path, live or deleted. */
export function lastVersion(known: Known): number {
  return known.kind === 'live' ? known.note.version : known.last;
}

function settle(ledger: Ledger, slot: Slot, answer: Answer | null, known: (answer: Answer) => Known): boolean {
  if (answer === null) return false;
  if (answer.status === 200) {
    slot.known = known(answer);
    ledger.acknowledged += 1;
  } else ledger.refused.push(`${slot.path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
  slot.pending = null;
  return true;
}

/** Registers a vault. Once acknowledged, the vault and its data key must exist. */
async function newVault(caller: Caller, ledger: Ledger): Promise<boolean> {
  const name = `vault ${ledger.writes++}`;
  ledger.vaults.set(name, null);
  const answer = await caller.post('/vaults/register', { client_id: name, name }).catch(() => null);
  if (answer === null) return false;
  if (answer.status !== 201) ledger.refused.push(`${name} was answered ${answer.status}`);
  else {
    ledger.vaults.set(name, answer.body.id);
    addSlots(ledger, answer.body.id, 2);
  }
  return true;
}

/** A few lines with links, tags and other names; now and then a text large enough to fill the write-ahead log. */
function textFor(ledger: Ledger, token: string, random: Random): string {
  const target = () => random.pick(ledger.slots).path.replace(/\.md$/, '');
  const frontmatter = random.chance(0.3) ? `---\naliases: [other-${random.below(20)}]\ntags: [kept]\n---\n` : '';
  const links = Array.from({ length: random.below(4) }, () =>
    random.chance(0.5) ? `[[${target()}|shown]]` : `[[other-${random.below(20)}#part]]`,
  );
  const filler = random.chance(0.03) ? random.noise(200_000) : random.noise(random.below(400));
  return `${frontmatter}# ${token}\n\n${links.join(' and ')}\n#tag-${random.below(9)}\n${filler}\n`;
}
