import { aliasKey, noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FolderId, Seq } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { PathOwner, ResolvedPath } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { deleteAliasesOf } from '../deletion/note-tombstones.store.ts';
import type { CommitDeps, WrittenNote } from '../notes.deps.ts';
import * as store from '../notes.store.ts';
import type { NoteMeta } from '../sealed-note.ts';
import {
  type CommittedNote,
  lastVersionOf,
  type NoteRowDraft,
  type RowWrite,
  type WritePlan,
  type WriteTarget,
} from './write-target.ts';

/** Why a plan cannot be carried out: something has changed (null), another entry has the path, the note is damaged. */
export type Cause = null | PathOwner | NotevaultError;

/** Thrown to end the transaction when plans do not match the stored rows. */
export class StalePlans extends Error {
  override readonly name = 'StalePlans';
  readonly causes: ReadonlyMap<WritePlan, Cause>;
  constructor(causes: ReadonlyMap<WritePlan, Cause>) {
    super('not everything can be written as it was prepared');
    // Later causes are less reliable, because the first plan left its changes half done.
    this.causes = new Map([...causes].map(([plan, cause], index) => [plan, index === 0 ? cause : null]));
  }
}

/** Maximum plans whose statements are sent before the first answer arrives. */
const SENT_TOGETHER = 8;

export function isRowWrite(plan: WritePlan): plan is RowWrite {
  return plan.kind === 'write';
}

/**
 * Carries out plans under the vault's lock: folders, rows, names, then edges. A statement changes nothing where the
 * stored state differs from the plan; then throws StalePlans. Statements are pipelined, because each answer costs a
 * round trip.
 */
export async function writePlans(
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plans: readonly WritePlan[],
  bulk: boolean,
): Promise<ReadonlyMap<WritePlan, CommittedNote>> {
  const rows = plans.filter(isRowWrite);
  const [first, places] = await Promise.all([
    advance(deps, handle, vault, rows),
    placesOf(deps, handle, vault, rows.filter(isFresh)),
  ]);
  const seqs = new Map<WritePlan, Seq>(rows.map((plan, index) => [plan, (first + index) as Seq]));
  const seqOf = (plan: RowWrite) => seqs.get(plan) as Seq;
  const causes = new Map<WritePlan, Cause>();
  const fresh = [...places.keys()];
  const { folders, counted } = deps.entries.enter(handle, vault, [...places.values()], 'note');
  const parentOf = new Map(fresh.map((plan, index) => [plan, folders[index] ?? null]));
  const counting = counted.then((isCounted) => {
    if (!isCounted) for (const plan of fresh) causes.set(plan, null);
  });
  const write = async (plan: WritePlan) => {
    const cause =
      plan.kind === 'unchanged'
        ? await keepSame(deps, handle, vault, plan)
        : await writeRow(deps, handle, vault, plan, seqOf(plan), parentOf.get(plan) ?? null);
    if (cause !== undefined) causes.set(plan, cause);
  };
  const sent: Promise<void>[] = [counting];
  for (const plan of plans) {
    if (sent.length > SENT_TOGETHER) await Promise.all(sent.splice(0));
    sent.push(write(plan));
  }
  const renamed = rows.filter(hasNewAliases);
  if (renamed.length > 0) {
    await Promise.all(sent);
    throwIfAny(causes);
    await Promise.all(renamed.map((plan) => writeAliases(handle, vault, plan)));
  }
  // Reads for the edges see the rows of all plans, because all have been sent by now.
  const written = rows.map((plan) => writtenNote(vault, plan, seqOf(plan)));
  const [links] = await Promise.all([deps.hooks.planLinks(handle, vault, written, bulk), ...sent]);
  for (const plan of rows) {
    const damage = links.damaged.get(plan.next.id);
    if (damage !== undefined) causes.set(plan, damage);
  }
  throwIfAny(causes);
  const linksOf = await links.write();
  handle.onCommit(() => {
    for (const { target } of rows) if (target.kind !== 'new') deps.live.changed(target.id);
  });
  return new Map(
    plans.map((plan): [WritePlan, CommittedNote] => {
      if (plan.kind === 'unchanged') return [plan, { note: plan.note, links: null, fresh: false, gaveWay: [] }];
      const note = noteOf(plan.next, seqOf(plan));
      const { gaveWay = [] } = plan.next;
      return [plan, { note, links: linksOf.get(plan.next.id) ?? [], fresh: isFresh(plan), gaveWay }];
    }),
  );
}

function throwIfAny(causes: ReadonlyMap<WritePlan, Cause>): void {
  if (causes.size > 0) throw new StalePlans(causes);
}

/** Takes the seqs of new rows, which locks the vault; resolves to the first of them. */
async function advance({ vaults }: CommitDeps, handle: WriteHandle, vault: OpenVault, rows: readonly RowWrite[]) {
  if (rows.length === 0) return 0;
  const revived = rows.flatMap(({ target }) => (target.kind === 'tombstone' ? [target.note.size_bytes] : []));
  const textBytes = -revived.reduce((sum, bytes) => sum + bytes, 0);
  const trash = { notes: -revived.length, textBytes, attachmentBytes: 0 };
  return vaults.advance(handle, vault, { seqs: rows.length, notes: rows.filter(isFresh).length, trash });
}

/**
 * Returns the places of notes that enter their folders. A missing folder is looked for again, because another note of
 * this transaction, or of the last one, may have made it. Throws StalePlans.
 */
async function placesOf({ entries }: CommitDeps, handle: WriteHandle, vault: OpenVault, fresh: readonly RowWrite[]) {
  const places = new Map(fresh.map((plan) => [plan, plan.target.resolved]));
  const unsure = [...places].filter(([, { path, nearest }]) => (nearest?.path ?? '') !== folderOf(path));
  const found = await entries.resolveAll(
    handle,
    vault,
    unsure.map(([, resolved]) => resolved),
  );
  const causes = unsure.length === 0 ? new Map<WritePlan, Cause>() : clashesOf(fresh);
  for (const [index, [plan, { path }]] of unsure.entries()) {
    const now = found[index] as ResolvedPath;
    if (now.blocked !== null) causes.set(plan, now.blocked.owner);
    else if (now.path !== path) causes.set(plan, null);
    else places.set(plan, now);
  }
  throwIfAny(causes);
  return places;
}

/** Returns the notes that are at a path above or below that of an earlier one, which is the owner. */
function clashesOf(fresh: readonly RowWrite[]): Map<WritePlan, Cause> {
  const clashes = new Map<WritePlan, Cause>();
  const notes = new Map<string, PathOwner>();
  const folders = new Map<string, PathOwner>();
  for (const plan of fresh) {
    const { id, path } = plan.next;
    const above = ancestorsOf(path).map(foldPath);
    const owner = folders.get(foldPath(path)) ?? above.map((folder) => notes.get(folder)).find(Boolean);
    if (owner !== undefined) clashes.set(plan, owner);
    const own = { kind: 'note', id } as const;
    notes.set(foldPath(path), own);
    for (const folder of above) folders.set(folder, folders.get(folder) ?? own);
  }
  return clashes;
}

/** Checks a note that stays as it is, and adds the write's fingerprint. Resolves to the cause of a failure. */
async function keepSame(
  { entries }: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { note, fingerprints }: Exclude<WritePlan, RowWrite>,
): Promise<Cause | undefined> {
  if (!(await entries.hasRevision(handle, vault.id, note))) return null;
  if (fingerprints === undefined) return undefined;
  const { was, now } = fingerprints;
  const written = await handle.run(store.updateFingerprints, { vault: vault.id, id: note.id, fingerprints: now, was });
  return written > 0 ? undefined : null;
}

/** Resolves to the cause of a failure. */
async function writeRow(
  { entries }: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: RowWrite,
  seq: Seq,
  parent: FolderId | null,
): Promise<Cause | undefined> {
  const [isEntryWritten, isBodyWritten] = await Promise.all([
    writeEntry(entries, handle, vault, plan, seq, parent),
    writeBody(handle, vault, plan, seq),
  ]);
  if (isEntryWritten) return isBodyWritten ? undefined : null;
  if (!isFresh(plan)) return null;
  const owner = await entries.ownerOf(handle, vault, plan.next.path);
  // A note created there meanwhile is edited by the next attempt; any other entry keeps the path.
  return owner?.kind === 'note' ? null : owner;
}

function writeEntry(
  entries: CommitDeps['entries'],
  handle: WriteHandle,
  vault: OpenVault,
  { target, next }: RowWrite,
  seq: Seq,
  parent: FolderId | null,
): Promise<boolean> {
  const row = {
    vault_id: vault.id,
    id: next.id,
    seq,
    revision: next.revision,
    version: next.version,
    parent_id: target.kind === 'live' ? target.note.parent_id : parent,
    path_key: target.resolved.pathKey,
    name_key: next.nameKey,
    blob_id: null,
    size_bytes: next.size,
    mtime: next.mtime,
    updated_at: next.now,
    meta: next.sealedMeta,
  };
  if (target.kind === 'new') {
    return entries.insert(handle, { ...row, kind: 'note', created_at: next.createdAt }, target.tombstoneVersion);
  }
  const updated = { ...row, was: target.note.revision };
  if (target.kind === 'live') return entries.update(handle, updated);
  return entries.revive(handle, updated, lastVersionOf(target));
}

/** Resolves to false when the fingerprints have changed. */
async function writeBody(handle: WriteHandle, vault: OpenVault, { target, next, fingerprints }: RowWrite, seq: Seq) {
  const { id, content, doc, replaced, between = [] } = next;
  const body = { vault: vault.id, id, content, doc };
  if (target.kind === 'new') {
    await handle.run(store.insertBody, { ...body, seq, fingerprints: fingerprints?.now ?? null });
    return true;
  }
  const [updated] = await Promise.all([
    fingerprints === undefined
      ? handle.run(store.updateBody, body)
      : handle.run(store.updateBodyWithFingerprints, {
          ...body,
          fingerprints: fingerprints.now,
          was: fingerprints.was,
        }),
    ...[replaced ?? [], between]
      .flat()
      .map((version) => handle.run(store.insertReplaced, { vault: vault.id, id, seq, ...version })),
  ]);
  return fingerprints === undefined || updated > 0;
}

async function writeAliases(handle: WriteHandle, vault: OpenVault, { target, next }: RowWrite): Promise<void> {
  const { id, meta } = next;
  const keys = new Map(aliasKeysOf(vault, meta).map((key) => [key.toString('hex'), key]));
  await Promise.all([
    aliasesOf(target).length === 0 ? null : handle.runMany(deleteAliasesOf, { vault_id: vault.id }, [id]),
    handle.runMany(store.insertAliases, { vault: vault.id, id }, [...keys.values()]),
  ]);
}

function isFresh({ target }: RowWrite): boolean {
  return target.kind !== 'live';
}

function aliasesOf(target: WriteTarget): readonly string[] {
  return target.kind === 'live' ? target.note.meta.aliases : [];
}

function hasNewAliases({ target, next }: Pick<RowWrite, 'target' | 'next'>): boolean {
  return aliasesOf(target).join('\0') !== next.meta.aliases.join('\0');
}

/** Returns the blind keys under which links find a note. */
export function nameKeysOf(
  vault: OpenVault,
  note: Pick<NoteMeta, 'path' | 'aliases'>,
): [name: Buffer, ...aliases: Buffer[]] {
  return [vault.key.blind('name', noteNameKey(note.path)), ...aliasKeysOf(vault, note)];
}

function aliasKeysOf(vault: OpenVault, { aliases }: Pick<NoteMeta, 'aliases'>): Buffer[] {
  return aliases.map((alias) => vault.key.blind('name', aliasKey(alias)));
}

function writtenNote(vault: OpenVault, plan: RowWrite, seq: Seq): WrittenNote {
  const { id, path, version, derived } = plan.next;
  const { aliases, links } = derived;
  return { id, path, aliases, version, seq, links, fresh: isFresh(plan), movedKeys: movedKeysOf(vault, plan) };
}

/** Returns the name keys under which the note is newly found, and those under which it no longer is. */
function movedKeysOf(vault: OpenVault, { target, next }: RowWrite): Buffer[] {
  const isMoved = target.kind !== 'live' || target.note.meta.path !== next.path || hasNewAliases({ target, next });
  if (!isMoved) return [];
  const now = [next.nameKey, ...aliasKeysOf(vault, next.meta)];
  if (target.kind !== 'live') return now;
  const before = nameKeysOf(vault, target.note.meta);
  const hex = (keys: Buffer[]) => new Set(keys.map((key) => key.toString('hex')));
  const [had, has] = [hex(before), hex(now)];
  return [
    ...before.filter((key) => !has.has(key.toString('hex'))),
    ...now.filter((key) => !had.has(key.toString('hex'))),
  ];
}

function noteOf(next: NoteRowDraft, seq: Seq): CommittedNote['note'] {
  const { id, version, mtime, meta } = next;
  return { id, seq, version, mtime, meta, content: next.text, created_at: next.createdAt, updated_at: next.now };
}
