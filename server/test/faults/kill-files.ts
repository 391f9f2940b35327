import { createHash } from 'node:crypto';
import { SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { buildApp } from '../../src/app.ts';
import type { Config } from '../../src/config/config.ts';
import { openPorts } from '../../src/open-ports.ts';
import type { Clock } from '../../src/ports/clock/clock.ts';
import { createLogger } from '../../src/telemetry/telemetry.ts';
import { fileUrl, readRaw, sha256, uploadJson, uploadRaw } from '../kit/content/files.ts';
import { createUpload, sendSlice, tus } from '../kit/content/slices.ts';
import type { Raw } from '../kit/database/raw-sql.ts';
import type { Answer, Caller } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';

/*
 * Attachments under load and after a kill. Each path knows which state its server acknowledged, and which request was
 * sent but not answered.
 */

/** A path for an attachment. */
export interface FileSlot {
  readonly vault: string;
  path: string;
  /** Hash of the acknowledged bytes; null when the path should be empty. */
  kept: string | null;
  /** The id of the attachment, live or in the trash, and the hash of its bytes; null when it is not known. */
  file: { readonly id: string; readonly hash: string } | null;
  pending: SentFile | null;
  /** An upload in slices that has not ended, and how many of its bytes were acknowledged. */
  upload: SlicedFile | null;
  /** How many writes were sent: an attachment that was deleted and restored is as it was before. */
  sent: number;
}

interface SlicedFile {
  readonly url: string;
  readonly bytes: Buffer;
  at: number;
}

type SentFile =
  | { readonly kind: 'delete' }
  | { readonly kind: 'end' }
  | { readonly kind: 'put' | 'restore'; readonly hash: string }
  | { readonly kind: 'rename'; readonly to: string };

export interface FileLedger {
  readonly slots: FileSlot[];
  /** Vaults with attachments that were purged or may have been. */
  readonly purged: Map<string, 'sent' | 'acknowledged'>;
  readonly refused: string[];
  /** The credential of uploads in slices, which outlives the sessions of a long run. */
  readonly key: string;
  writes: number;
}

const SLOTS = 15;

export function newFileLedger(key: string): FileLedger {
  return { key, slots: [], purged: new Map(), refused: [], writes: 0 };
}

export function addFileSlots({ slots }: FileLedger, vault: string): void {
  for (let at = 0; at < SLOTS; at++) {
    const path = `${at % 3 === 0 ? '' : `files ${at % 4}/`}file-${at}.txt`;
    slots.push({ vault, path, kept: null, file: null, pending: null, upload: null, sent: 0 });
  }
}

/** Random bytes of many sizes; a few contents repeat, so that attachments share blobs. */
function bytesOf(random: Random): Buffer {
  if (random.chance(0.3))
    return createHash('sha512')
      .update(`shared ${random.below(4)}`)
      .digest();
  const size = random.chance(0.1) ? 1_000_000 : random.below(200_000);
  return Buffer.alloc(size, random.noise(64));
}

/** Makes one write to the path; false when the server is gone. */
export async function writeFile(caller: Caller, ledger: FileLedger, slot: FileSlot, random: Random): Promise<boolean> {
  const headers = { 'x-vault-id': slot.vault };
  slot.sent += 1;
  if (slot.upload !== null) return sendRest(caller, ledger, slot, slot.upload);
  const settle = (answer: Answer | null, acknowledge: (answer: Answer) => void): boolean => {
    if (answer === null) return false;
    if (answer.status === 200) acknowledge(answer);
    else ledger.refused.push(`${slot.path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    slot.pending = null;
    return true;
  };
  if (slot.kept !== null && random.chance(0.2)) {
    slot.pending = { kind: 'delete' };
    const answer = await caller.delete(fileUrl(slot.path), undefined, headers).catch(() => null);
    return settle(answer, () => {
      slot.kept = null;
    });
  }
  const { file } = slot;
  if (slot.kept === null && file !== null && random.chance(0.5)) {
    if (random.chance(0.3)) {
      slot.pending = { kind: 'end' };
      const answer = await caller.delete(`/trash/${file.id}`, undefined, headers).catch(() => null);
      return settle(answer, () => {
        slot.file = null;
      });
    }
    slot.pending = { kind: 'restore', hash: file.hash };
    const answer = await caller.post(`/trash/${file.id}/restore`, {}, headers).catch(() => null);
    return settle(answer, () => {
      slot.kept = file.hash;
    });
  }
  if (slot.kept !== null && random.chance(0.3)) {
    const to = `moved ${ledger.writes++ % 7}/m${ledger.writes}.txt`;
    slot.pending = { kind: 'rename', to };
    const paths = { old_path: slot.path, new_path: to };
    const answer = await caller.post('/attachments/rename', paths, headers).catch(() => null);
    return settle(answer, () => {
      slot.path = to;
    });
  }
  if (random.chance(0.3)) return beginSlices(caller, ledger, slot, random);
  const bytes = bytesOf(random);
  slot.pending = { kind: 'put', hash: sha256(bytes) };
  const sent = random.chance(0.5)
    ? uploadJson(caller, slot.path, bytes, {}, headers)
    : uploadRaw(caller, slot.path, bytes, headers);
  const hash = slot.pending.hash;
  return settle(await sent.catch(() => null), ({ body }) => {
    slot.kept = hash;
    slot.file = { id: body.attachment.id, hash };
  });
}

const keyed = ({ key }: FileLedger) => ({ authorization: `Bearer ${key}` });

/** Begins an upload in slices and sends them; false when the server is gone. */
async function beginSlices(caller: Caller, ledger: FileLedger, slot: FileSlot, random: Random): Promise<boolean> {
  const bytes = Buffer.alloc(2 * SLICE_MIN + random.below(2 * SLICE_MIN), random.noise(64));
  const headers = { 'x-vault-id': slot.vault, ...keyed(ledger) };
  const url = await createUpload(caller, slot.path, bytes.length, {}, headers).catch(() => null);
  if (url === null) return false;
  slot.upload = { url, bytes, at: 0 };
  return sendRest(caller, ledger, slot, slot.upload);
}

/** Goes on with an upload from where it has come; false when the server is gone. */
async function sendRest(caller: Caller, ledger: FileLedger, slot: FileSlot, upload: SlicedFile): Promise<boolean> {
  const { url, bytes } = upload;
  const asked = await caller.get(url, { ...tus, ...keyed(ledger) }).catch(() => null);
  if (asked === null) return false;
  upload.at = checkedOffset(ledger, slot, upload, asked);
  while (upload.at < bytes.length) {
    const slice = bytes.subarray(upload.at, upload.at + SLICE_MIN);
    if (upload.at + slice.length === bytes.length) slot.pending = { kind: 'put', hash: sha256(bytes) };
    const answer = await sendSlice(caller, url, upload.at, slice, keyed(ledger)).catch(() => null);
    if (answer === null) return false;
    if (answer.status !== 204) ledger.refused.push(`a slice of ${slot.path} was answered ${answer.status}`);
    upload.at += slice.length;
  }
  const done = await caller.get(url, { ...tus, ...keyed(ledger) }).catch(() => null);
  if (done === null) return false;
  if (done.body.attachment === null) {
    ledger.refused.push(`the upload of ${slot.path} has no attachment: ${JSON.stringify(done.body)}`);
    return true;
  }
  slot.kept = sha256(bytes);
  slot.file = { id: done.body.attachment.id, hash: slot.kept };
  slot.pending = null;
  slot.upload = null;
  return true;
}

/** Returns the offset of an upload, and checks that it is not before the acknowledged one. */
function checkedOffset(ledger: FileLedger, slot: FileSlot, { at }: SlicedFile, { status, body }: Answer): number {
  if (status !== 200) ledger.refused.push(`the upload of ${slot.path} was answered ${status}`);
  else if (body.offset < at) ledger.refused.push(`of the upload of ${slot.path}, ${at - body.offset} bytes are gone`);
  return body.offset ?? at;
}

/** Creates a vault with attachments, deletes and purges it; false when the server is gone. */
export async function purgeVault(caller: Caller, ledger: FileLedger, random: Random): Promise<boolean> {
  const name = `to purge ${ledger.writes++}`;
  const work = async () => {
    const { id } = (await caller.post('/vaults/register', { client_id: name, name })).body;
    const headers = { 'x-vault-id': id };
    for (let file = 0; file < 3; file++) await uploadRaw(caller, `${file}.txt`, bytesOf(random), headers);
    await caller.delete(`/vaults/${id}`);
    ledger.purged.set(id, 'sent');
    const { status, body } = await caller.post(`/vaults/${id}/purge`, {});
    if (status === 200) ledger.purged.set(id, 'acknowledged');
    else ledger.refused.push(`purging was answered ${status} ${JSON.stringify(body)}`);
    return true;
  };
  return work().catch(() => false);
}

/**
 * Compares what a server answers after a crash with what it acknowledged before; updates the ledger with the outcome of
 * the rest.
 */
export async function checkFiles(caller: Caller, ledger: FileLedger): Promise<string[]> {
  const faults = ledger.refused.splice(0).map((refused) => `under load: ${refused}`);
  for (const slot of ledger.slots) {
    const { pending } = slot;
    const here = await hashAt(caller, slot.vault, slot.path, faults);
    const there = pending?.kind === 'rename' ? await hashAt(caller, slot.vault, pending.to, faults) : null;
    const said = (what: string) => faults.push(`${slot.path} in ${slot.vault}: ${what}`);
    if (there !== null && here !== null) said('was renamed and is still there');
    if (there !== null && pending?.kind === 'rename') slot.path = pending.to;
    const found = there ?? here;
    const allowed = [
      slot.kept,
      ...(pending?.kind === 'put' || pending?.kind === 'restore' ? [pending.hash] : []),
      ...(pending?.kind === 'delete' ? [null] : []),
    ];
    if (!allowed.includes(found)) said(`has ${found} instead of ${allowed.join(' or ')}`);
    slot.kept = found;
    // What was cut off may have changed which attachment is at the path.
    if (pending !== null) slot.file = null;
    slot.pending = null;
  }
  for (const listed of [await caller.get('/vaults'), await caller.get('/vaults?deleted=true')]) {
    for (const { id } of listed.body.vaults) {
      if (ledger.purged.get(id) === 'acknowledged') faults.push(`vault ${id} was purged and is still there`);
    }
  }
  return faults;
}

async function hashAt(caller: Caller, vault: string, path: string, faults: string[]): Promise<string | null> {
  const { status, bytes, headers, body } = await readRaw(caller, path, { 'x-vault-id': vault });
  if (status === 404) return null;
  if (status !== 200) faults.push(`${path} in ${vault} was answered ${status} ${JSON.stringify(body)}`);
  const hash = sha256(bytes);
  if (status === 200 && headers.get('etag') !== `"${hash}"`)
    faults.push(`${path} in ${vault} has other bytes than its hash`);
  return hash;
}

/** Runs the blob sweep as if some days had passed; then exactly the blobs in use must be stored. */
export async function checkSwept(config: Config, rawOf: () => Promise<Raw>): Promise<string[]> {
  const faults: string[] = [];
  await using ports = await openPorts(config);
  // Not the clock of the ports, which on PostgreSQL takes the database's time.
  const clock = later(ports.clock, 2 * 24 * 3_600_000);
  await using app = await buildApp({ ...ports, clock }, config, createLogger('silent'));
  await app.vaults.purgeDue(clock.now());
  await app.uploads.sweep();
  await app.attachments.collect();
  await using raw = await rawOf();
  const rows = await raw.all('select vault_id, id, state from attachment_blobs');
  for (const { id, state } of rows)
    if (state !== 'committed') faults.push(`blob ${id} is still ${state} after the sweep`);
  const kept = new Set(rows.map(({ vault_id, id }) => `${vault_id}/${id}`));
  for await (const page of ports.blobs.list()) {
    for (const { key } of page) {
      const name = `${key.vaultId}/${key.blobId}`;
      if (!kept.delete(name)) faults.push(`blob ${name} is stored and no row tells of it`);
    }
  }
  for (const name of kept) faults.push(`blob ${name} is kept by its row and not stored`);
  return faults;
}

function later(clock: Clock, ms: number): Clock {
  return { ...clock, now: () => (clock.now() + ms) as ReturnType<Clock['now']> };
}
