import { fileStem } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import {
  type Appended,
  type AppendNote,
  NOTE_BYTES_MAX,
  type Note,
  type NoteUpserted,
} from '@notevault/protocol/notes.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { listVersions } from '../history/versions.store.ts';
import { addWrite, fingerprintOf, hasFingerprint } from '../merge/fingerprints.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { mergedOf, notePathOf, type OpenedNote, toNote } from '../notes.mapper.ts';
import * as store from '../notes.store.ts';
import { sealed, type VersionReason } from '../sealed-note.ts';
import type { MergeDraft, MergeInput } from './build-note-row.ts';
import { draftMergeOnPool, draftTextOnPool } from './offload/task-transfer.ts';
import {
  type CommittedNote,
  type ExistingTarget,
  findWriteTarget,
  lastVersionOf,
  type NoteInput,
  type TargetReads,
  type WritePlan,
  type WriteTarget,
} from './write-target.ts';

/** A written note, and the stored values that the write replaced where both had changed them. */
export type UpsertResult = Pick<NoteUpserted, 'note' | 'merged'>;

export function upsertNote(
  deps: NoteDeps,
  context: WriteContext<UpsertResult>,
  input: NoteInput,
): Promise<UpsertResult> {
  return writeOne(
    deps,
    context,
    () => planUpsert(deps, context, input),
    (note, { gaveWay }) => ({ note, ...mergedOf(gaveWay) }),
  );
}

/** Writes a single note as planned; `resultOf` maps it to the operation's result. */
export function writeOne<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  plan: () => Promise<WritePlan>,
  resultOf: (note: Note, done: CommittedNote) => Result,
): Promise<Result> {
  return deps.writer.enqueueOne(context, plan, async (handle, done) => {
    const links = done.links ?? (await deps.hooks.linksOf(handle, context.vault, done.note.id as NoteId));
    return resultOf(toNote(done.note, links), done);
  });
}

/**
 * Plans an upsert against the stored note. Throws `version_conflict`, `conflict`, `note_too_large`, `note_unreadable`.
 * @param made the reason for the version, if it is not the upsert's own. @param reads those of a batch.
 */
export async function planUpsert(
  deps: NoteDeps,
  context: WriteContext,
  input: NoteInput,
  made?: VersionReason,
  reads?: TargetReads,
): Promise<WritePlan> {
  const text = input.content?.toWellFormed();
  if (text !== undefined) checkSize(text);
  const target = await findWriteTarget(deps, context, input, text, reads);
  const fingerprint = fingerprintFor(context.vault, target, input.version, text ?? '');
  if (target.kind !== 'live') {
    // The version is ignored: the note that the client edited was deleted elsewhere, and the edit must not be lost.
    if (input.base_hash != null) throw conflictWith(null);
    const plan = await planText(deps, context, target, input, text ?? '', made ?? 'create');
    return withFingerprint(plan, target.kind === 'new' ? null : (target.fingerprints ?? null), fingerprint);
  }
  const known = target.fingerprints ?? null;
  const isKnown = fingerprint !== null && hasFingerprint(known, fingerprint);
  // The text that an assistant replaces is always kept.
  const reason = made ?? (context.actor.client === undefined ? undefined : 'agent');
  const plan = await planEdit(deps, context, target, input, text, reason, isKnown);
  // A text equal to the current version changes nothing.
  const bringsNothing = plan.kind === 'unchanged' && input.version === target.note.version;
  return isKnown || bringsNothing ? plan : withFingerprint(plan, known, fingerprint);
}

/** Like planUpsert, for a live note. @param isKnown whether the note has already received this very write. */
async function planEdit(
  deps: NoteDeps,
  context: WriteContext,
  target: ExistingTarget,
  input: NoteInput,
  text: string | undefined,
  made: VersionReason | undefined,
  isKnown: boolean,
): Promise<WritePlan> {
  const { note } = target;
  if (text === undefined || text === note.content) return { kind: 'unchanged', note };
  const refuse = async () => conflictWith(await currentNote(deps, context.vault, note));
  if (input.base_hash != null && input.base_hash !== note.meta.hash) throw await refuse();
  // The version refers to the note that the id names: a version of another note is no base.
  const named = parseUuid(input.id);
  if (input.base_hash == null && input.version != null && named !== null && named !== note.id) throw await refuse();
  if (input.base_hash != null || input.version == null || input.version === note.version) {
    return planText(deps, context, target, input, text, made ?? 'edit');
  }
  if (isKnown) return { kind: 'unchanged', note };
  const base = await findBase(deps, context.vault, note, input.version);
  const merge = base === undefined ? null : { steps: [{ base, text }], reason: made ?? ('merge' as const) };
  const draft = merge === null ? 'unknown' : await draftWithTargets(deps, context, target, input, merge);
  if (draft === 'unknown') throw await refuse();
  if (draft === 'too_large') throw new NotevaultError('note_too_large');
  return draft === 'unchanged' ? { kind: 'unchanged', note } : { kind: 'write', target, next: draft };
}

/** Like draftMergeOnPool, but keeps link targets that the server has rewritten since the base. */
async function draftWithTargets(
  deps: NoteDeps,
  context: WriteContext,
  target: ExistingTarget,
  input: NoteInput,
  merge: MergeInput,
): Promise<MergeDraft> {
  const draft = await draftMergeOnPool(deps, context, target, input, merge);
  if (typeof draft === 'string' || !draft.gaveWay?.some(({ isLink }) => isLink)) return draft;
  if (!(await wasRelinked(deps, context.vault, target.note, merge.steps[0]?.base.version ?? 0))) return draft;
  return draftMergeOnPool(deps, context, target, input, { ...merge, keepsTargets: true });
}

/** Maximum number of newest versions that are searched for rewritten links. */
const LOOKED_BACK = 100;

async function wasRelinked({ db }: NoteDeps, vault: OpenVault, note: OpenedNote, since: number): Promise<boolean> {
  if (note.meta.reason === 'link_rewrite') return true;
  const rows = await db.all(listVersions, { vault: vault.id, id: note.id, before: note.version, limit: LOOKED_BACK });
  return rows
    .filter(({ version }) => version > since)
    .some(({ version, meta }) => sealed.openVersion(vault, note.id, version, meta).reason === 'link_rewrite');
}

/** Returns the fingerprint of a write that names a version; null for one that names none. */
function fingerprintFor(vault: OpenVault, target: WriteTarget, base: number | null | undefined, text: string) {
  if (base == null) return null;
  return fingerprintOf(vault, target.id, { base, text }, lastVersionOf(target) + 1);
}

function withFingerprint(plan: WritePlan, was: Buffer | null, fingerprint: Buffer | null): WritePlan {
  if (fingerprint === null || (was !== null && hasFingerprint(was, fingerprint))) return plan;
  const inserted = plan.kind === 'write' ? plan.next.inserted : null;
  return { ...plan, fingerprints: { was, now: addWrite(was, fingerprint, inserted) } };
}

/** Plans a whole text: as the smallest edit of the note, or as its initial text. Throws `note_too_large`. */
export async function planText(
  deps: NoteDeps,
  context: WriteContext,
  target: WriteTarget,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Promise<WritePlan> {
  checkSize(text);
  return { kind: 'write', target, next: await draftTextOnPool(deps, context, target, input, text, reason) };
}

/** Reads an older version of the note, sealed; undefined when it is not stored. */
export async function findBase({ db }: NoteDeps, vault: OpenVault, { id, version: last }: OpenedNote, version: number) {
  if (version <= 0 || version >= last) return undefined;
  const row = await db.get(store.findVersion, { vault_id: vault.id, note_id: id, version });
  return row === undefined ? undefined : { version, content: row.content, snapshot: row.snapshot };
}

function currentNote({ db, hooks }: NoteDeps, vault: OpenVault, note: OpenedNote): Promise<Note> {
  return db.read(async (handle) => toNote(note, await hooks.linksOf(handle, vault, note.id as NoteId)));
}

function conflictWith(serverNote: Note | null): NotevaultError {
  return new NotevaultError('version_conflict', { server_note: serverNote });
}

function checkSize(text: string): void {
  if (text.length > NOTE_BYTES_MAX || Buffer.byteLength(text, 'utf8') > NOTE_BYTES_MAX) {
    throw new NotevaultError('note_too_large');
  }
}

/** Creates a missing note. Throws `note_too_large`, `conflict`, `limit_exceeded`, `note_unreadable`. */
export async function append(deps: NoteDeps, context: WriteContext<Appended>, input: AppendNote): Promise<Appended> {
  const { lock, pathKey: keyOf } = deps.entries;
  const path = notePathOf(input.path);
  const pathKey = keyOf(context.vault, path);
  return lock.run(context.vault.id, pathKey.toString('hex'), () =>
    appendTo(deps, context, { path, pathKey }, input.text),
  );
}

/** A note that it creates begins with its name as heading. */
function appendTo(
  deps: NoteDeps,
  context: WriteContext<Appended>,
  place: Pick<NoteInput, 'path' | 'pathKey'>,
  sent: string,
): Promise<Appended> {
  const text = sent.toWellFormed();
  const input: NoteInput = { ...place, mtime: deps.clock.now() / 1000 };
  const started = `# ${fileStem(place.path)}\n\n${text}`;
  const plan = async () => {
    const target = await findWriteTarget(deps, context, input, started);
    if (target.kind !== 'live') return planText(deps, context, target, input, started, 'append');
    const grown = `${withoutTrailingNewlines(target.note.content)}\n${text}`;
    if (grown === target.note.content) return { kind: 'unchanged', note: target.note } as const;
    return planText(deps, context, target, input, grown, context.actor.client === undefined ? 'append' : 'agent');
  };
  return writeOne(deps, context, plan, (note, { fresh }) => ({ created: fresh, path: note.path, note }));
}

/** Removes newlines at the end. A regular expression would backtrack at every newline in the middle of the text. */
function withoutTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return text.slice(0, end);
}
