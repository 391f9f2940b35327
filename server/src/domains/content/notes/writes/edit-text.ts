import { deriveNote } from '@notevault/note-text/derive.ts';
import { applyEdits } from '@notevault/note-text/diff/diff.ts';
import { linkMention } from '@notevault/note-text/link-mention.ts';
import { targetChoices } from '@notevault/note-text/links/retarget.ts';
import { mentionNames } from '@notevault/note-text/mentions.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import { type Task, withToggledTask } from '@notevault/note-text/tasks.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { LinkMention, MentionLinked } from '@notevault/protocol/mentions.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { TASK_STATES, type TaskState, type TaskToggled, type ToggleTask } from '@notevault/protocol/tasks.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { RevisionConflict, retryOnConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { BatchReads } from './batch/batch-reads.ts';
import { offload } from './offload/offload.ts';
import { isLargeText } from './offload/task-transfer.ts';
import { planText, writeOne } from './upsert.ts';
import { findWriteTarget, type NoteInput, type WritePlan } from './write-target.ts';

/** Maximum attempts to edit a note that is moved meanwhile. */
const ATTEMPTS_MAX = 5;

/**
 * Edits the text of a live note, as a version of its own; an unchanged text makes none.
 *
 * @param edit resolves to the new text, or throws; it is called again when the note was written meanwhile.
 * @param resultOf maps the note to the operation's result. Throws `note_not_found`, `note_too_large`, `note_unreadable`.
 */
export function editText<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  id: NoteId,
  edit: (content: string) => Promise<string>,
  resultOf: (note: Note) => Result,
): Promise<Result> {
  return retryOnConflict(async () => {
    const { path, pathKey } = await liveNote(deps, context.vault, id);
    const input: NoteInput = { path, pathKey, mtime: deps.clock.now() / 1000 };
    const plan = async () => {
      const target = await findWriteTarget(deps, context, input, undefined);
      // The note is not at its path any more.
      if (target.kind !== 'live' || target.id !== id) throw new RevisionConflict();
      const text = await edit(target.note.content);
      if (text === target.note.content) return { kind: 'unchanged', note: target.note } as const;
      const reason = context.actor.client === undefined ? 'edit' : 'agent';
      return planText(deps, context, target, input, text, reason);
    };
    const write = () => writeOne(deps, context, plan, resultOf);
    return deps.entries.lock.run(context.vault.id, pathKey.toString('hex'), write);
  }, ATTEMPTS_MAX);
}

/** Throws `note_not_found`, `note_unreadable`. */
async function liveNote({ db, entries }: NoteDeps, vault: OpenVault, id: NoteId) {
  const [row] = await entries.rowsById(db, vault.id, 'note', [id]);
  if (row === undefined) throw new NotevaultError('note_not_found');
  return { ...sealed.openMeta(vault, row.id, row.revision, row.meta), pathKey: row.path_key };
}

/** Ticks a task of a note, or unticks it. Throws `text_changed`, `validation`, the errors of `editText`. */
export async function toggleTask(
  deps: NoteDeps,
  context: WriteContext<TaskToggled>,
  id: NoteId,
  { line, text, state: wanted }: Omit<ToggleTask, 'note_id'>,
): Promise<TaskToggled> {
  if (wanted != null && !isState(wanted)) throw invalid({ state: [`must be one of ${TASK_STATES.join(', ')}`] });
  let task: Task | undefined;
  const edit = async (content: string) => {
    const input = { content, line, text, state: wanted ?? null };
    const toggled = isLargeText(content)
      ? await offload(deps, context.vault, 'toggleTask', input, 2 * content.length, { patient: true })
      : withToggledTask(input);
    if (toggled === null) throw new NotevaultError('text_changed');
    task = toggled.task;
    return toggled.content;
  };
  return editText(deps, context, id, edit, ({ path, version, content_hash }) => {
    if (task === undefined) throw new TypeError('a task was written and not read');
    const { state, due, tags } = task;
    return { task: { note_id: id, path, line, text, state, due, tags: [...tags] }, version, content_hash };
  });
}

function isState(word: string): word is TaskState {
  return (TASK_STATES as readonly string[]).includes(word);
}

export interface MentionTarget {
  readonly path: string;
  readonly names: readonly string[];
}

/** Returns the names by which a live note may be mentioned. Throws `note_not_found`, `note_unreadable`. */
export async function mentionedNote(deps: NoteDeps, vault: OpenVault, id: NoteId): Promise<MentionTarget> {
  const { path, title, aliases } = await liveNote(deps, vault, id);
  return { path, names: mentionNames(title, aliases) };
}

/** Links a place that mentions a note. Throws `text_changed`, `note_not_found`, the errors of `editText`. */
export async function linkMentionOf(
  deps: NoteDeps,
  context: WriteContext<MentionLinked>,
  id: NoteId,
  source: NoteId,
  { start, text }: Omit<LinkMention, 'note_id'>,
): Promise<MentionLinked> {
  const { vault } = context;
  const { path, names } = await mentionedNote(deps, vault, id);
  const { path: from } = await liveNote(deps, vault, source);
  const link = { target: await targetFrom(deps, vault, { id: source, path: from }, { id, path }), path };
  const mention = { names, start, text };
  const edit = async (content: string) => {
    const input = { content, mention, link };
    const linked = isLargeText(content)
      ? await offload(deps, vault, 'linkMention', input, 2 * content.length, { patient: true })
      : linkMention(content, mention, link);
    if (linked === null || id === source) throw new NotevaultError('text_changed');
    return linked;
  };
  return editText(deps, context, source, edit, (note) => {
    return { note_id: source, path: note.path, version: note.version, content_hash: note.content_hash };
  });
}

interface Place {
  readonly id: NoteId;
  readonly path: string;
}

/** The shortest target of a wikilink that leads from one note to another; null when none does. */
async function targetFrom({ db, hooks }: NoteDeps, vault: OpenVault, source: Place, to: Place): Promise<string | null> {
  const at = { source: source.path, target: to.path };
  const choices = targetChoices({ before: at, after: at, form: 'wikilink', target: fileStem(to.path) });
  const wikilinks = choices.flatMap(({ form, target }) => (form === 'wikilink' ? [`[[${target}]]`] : []));
  const { links } = deriveNote(source.path, wikilinks.join('\n\n'));
  const resolved = await db.read((handle) => hooks.linksFrom(handle, vault, { ...source, links }));
  const found = resolved.findIndex(({ target_note_id: target }) => target === to.id);
  return links[found]?.target ?? null;
}

/** Places of a note that get another text. */
export interface PlacedChange {
  readonly id: NoteId;
  /** The hash of the text in which the places are. */
  readonly hash: string;
  /** Start and end of each, ascending, in UTF-16 units. */
  readonly places: Uint32Array;
  readonly replacement: string;
}

/**
 * Replaces text at some places in a few notes, as one version each, in one transaction. Resolves to the notes that were
 * not written because they were deleted, moved or changed since. Throws `note_too_large`, `note_unreadable`.
 */
export async function replacePlaces(
  deps: NoteDeps,
  { vault, actor, device }: Omit<WriteContext, 'inTransaction'>,
  changes: readonly PlacedChange[],
): Promise<ReadonlySet<NoteId>> {
  const { db, entries, clock, writer } = deps;
  const context: WriteContext<ReadonlySet<NoteId>> = { vault, actor, device };
  const changeOf = new Map(changes.map((change) => [change.id as string, change]));
  const rows = await entries.rowsById(db, vault.id, 'note', [...changeOf.keys()]);
  const inputs = rows.map(({ id, revision, meta, path_key: pathKey }) => {
    const input: NoteInput = {
      path: sealed.openMeta(vault, id, revision, meta).path,
      pathKey,
      mtime: clock.now() / 1000,
    };
    return { id: id as NoteId, input };
  });
  const yieldIfDue = createYield();
  let written = new Set<NoteId>();

  async function prepare(): Promise<WritePlan[]> {
    written = new Set();
    const plans: WritePlan[] = [];
    const reads = new BatchReads(deps, context);
    await reads.prepare(inputs.map(({ input }) => input));
    for (const { id, input } of inputs) {
      await yieldIfDue();
      const target = await findWriteTarget(deps, context, input, undefined, reads).catch(nullIfElsewhere);
      const change = changeOf.get(id);
      if (change === undefined || target?.kind !== 'live' || target.id !== id) continue;
      if (target.note.meta.hash !== change.hash) continue;
      const reason = actor.client === undefined ? 'batch' : 'agent';
      plans.push(await planText(deps, context, target, input, withChange(target.note.content, change), reason));
      written.add(id);
    }
    return plans;
  }

  const keys = inputs.map(({ input }) => input.pathKey.toString('hex'));
  const apply = async () => new Set(changes.map(({ id }) => id).filter((id) => !written.has(id)));
  return entries.lock.runAll(vault.id, keys, () => writer.enqueue(context, { prepare, apply }));
}

/** The note is not at its path any more, where another may be. */
function nullIfElsewhere(error: unknown): null {
  if (error instanceof NotevaultError && error.code === 'conflict') return null;
  throw error;
}

function withChange(content: string, { places, replacement }: PlacedChange): string {
  const edits = Array.from({ length: places.length / 2 }, (_, index) => {
    const [at = 0, end = 0] = [places[2 * index], places[2 * index + 1]];
    return { at, remove: end - at, insert: replacement };
  });
  return applyEdits(content, edits);
}
