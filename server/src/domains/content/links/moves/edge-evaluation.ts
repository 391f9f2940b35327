import type { LinkChange } from '@notevault/note-text/links/relink.ts';
import { type LinkTarget, leadsFromFolder, targetChoices } from '@notevault/note-text/links/retarget.ts';
import { fileName } from '@notevault/note-text/paths.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { hasTarget, keysOfEdge } from '../edges/stored-links.ts';
import { DANGLING, distinct, keysOf, type Target, targetOf } from '../link-resolver.ts';
import type { LinkText, Origin } from '../link-texts.ts';
import type { StoredEdge } from '../links.store.ts';
import { type CandidatesAfterMove, candidatesAfterMove, type Move, type MoveIndex } from './move-index.ts';

/** A link whose text changes so that its target stays the same. */
export interface LinkRewrite extends LinkChange {
  readonly newTarget: Target;
  /** The text to restore when the target moves back; undefined if this rewrite restores it. */
  readonly origin: Origin | undefined;
  /** The target that the link gets if its form cannot hold the new text. */
  readonly fallback: Target;
}

/** An edge that gets another target while its text stays: a dangling link that finds a target. */
export interface EdgeRetarget {
  readonly edge: StoredEdge;
  readonly target: Target;
}

/** A plan of how edges change when notes and attachments move. */
export interface LinkRewritePlan {
  /** New link texts by source note. */
  readonly rewrites: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
  /** For each source note, the number of links that keep a text that no longer leads to their target. */
  readonly left: ReadonlyMap<NoteId, number>;
}

export interface PathChange {
  readonly before: string;
  readonly after: string;
}

/** An edge of a note that may be touched by a move, with the link's text. */
export interface TouchedEdge {
  readonly edge: StoredEdge;
  readonly text: LinkText;
  readonly source: PathChange;
}

/** An edge whose text or target may change, with the possible new texts. */
interface PendingEdge extends TouchedEdge {
  /** The target that the present text would have. */
  readonly now: Target;
  /** The paths of its target; null when it has none or an unreadable one. */
  readonly target: PathChange | null;
  /** Possible targets, best first. */
  readonly choices: readonly LinkTarget[];
  /** Whether its present text keeps its target. */
  readonly keepsTarget: boolean;
  /** The link's original text, if its target is back at the path of that time: it is preferred. */
  readonly original: LinkTarget | null;
}

/** Returns the target, after the move, of a link in a note. */
type TargetAfter = (link: LinkTarget, source: PathChange) => Target;

/** Evaluates edges one by one, then decides on all at once, so that all possible new names are looked up together. */
export async function evaluateEdges(move: Move, touched: readonly TouchedEdge[]): Promise<LinkRewritePlan> {
  const { index, yieldIfDue } = move;
  const candidates = candidatesAfterMove(move);
  await candidates.fetch(distinct(touched.flatMap(({ edge }) => keysOfEdge(edge))));
  const targetAfter = targetsAfter(move, candidates);
  const pending: PendingEdge[] = [];
  for (const each of touched) {
    await yieldIfDue();
    const evaluated = pendingEdge(each, targetPathOf(index, candidates, each.edge), targetAfter);
    if (evaluated !== null) pending.push(evaluated);
  }
  await candidates.fetch(await keysOfChoices(move, pending));
  const rewrites = new Map<NoteId, LinkRewrite[]>();
  const retargets: EdgeRetarget[] = [];
  const left = new Map<NoteId, number>();
  for (const each of pending) {
    await yieldIfDue();
    const { edge, now, target } = each;
    const source = edge.source_id as NoteId;
    const rewrite = rewriteOf(each, targetAfter);
    if (rewrite === null) {
      if (hasTarget(edge, now)) continue;
      retargets.push({ edge, target: now });
      if (target !== null) left.set(source, (left.get(source) ?? 0) + 1);
      continue;
    }
    const list = rewrites.get(source);
    if (list === undefined) rewrites.set(source, [rewrite]);
    else list.push(rewrite);
  }
  return { rewrites, retargets, left };
}

/** Finds the target of each link and source once: a note may contain the same link thousands of times. */
function targetsAfter({ extensions, index }: Move, candidates: CandidatesAfterMove): TargetAfter {
  const targets = new Map<string, Target>();
  return ({ form, target }, source) => {
    const name = `${form}\0${source.after}\0${target}`;
    let found = targets.get(name);
    if (found === undefined) {
      const keys = keysOf(extensions, index.keyOf, { target, form });
      found = keys === null ? DANGLING : targetOf(extensions, { target, form }, source.after, candidates.at(keys));
      targets.set(name, found);
    }
    return found;
  };
}

/** Null for an edge that keeps its text and target. */
function pendingEdge(
  { edge, text, source }: TouchedEdge,
  target: PathChange | null,
  targetAfter: TargetAfter,
): PendingEdge | null {
  const now = targetAfter(text, source);
  // A link that led from its note's folder to a note that moves must lead there afterwards, too. While only its own note
  // moves it stays: it may mean the name, or the path from the root.
  const moves = target !== null && target.before !== target.after;
  const led = moves && leadsFromFolder(text.form, source.before, text.target, target.before);
  const leads = (to: string) => !led || leadsFromFolder(text.form, source.after, to, target.after);
  const earlier = originalText(text, target);
  const original = earlier !== null && leads(earlier) ? { form: text.form, target: earlier } : null;
  const keepsTarget = hasTarget(edge, now) && leads(text.target);
  if (original === null && keepsTarget) return null;
  const choices = target === null ? [] : choicesOf(text, source, target);
  return { edge, text, source, now, target, choices, keepsTarget, original };
}

/** Returns how an edge keeps its target by another text; null when its present text does that, or no text does. */
function rewriteOf(pending: PendingEdge, targetAfter: TargetAfter): LinkRewrite | null {
  const { edge, text, source, now, target, choices, keepsTarget, original } = pending;
  if (target === null) return null;
  const targets = [...(original === null ? [] : [original]), ...(keepsTarget ? [] : choices)];
  const chosen = targets.find((each) => hasTarget(edge, targetAfter(each, source)));
  if (chosen === undefined) return null;
  const { target_note_id: note, target_attachment_id: attachment } = edge;
  const newTarget = { note, attachment, path: note === null ? null : target.after };
  // A link that takes another form is a new one: its former text would not fit it.
  const isRestored = chosen === original || chosen.form !== text.form;
  const origin = isRestored ? undefined : (text.origin ?? { target: text.target, path: target.before });
  return { ord: edge.ord, was: text.target, ...chosen, newTarget, origin, fallback: now };
}

/** Returns the paths of an edge's present target; null when it has none or an unreadable one. */
function targetPathOf(index: MoveIndex, candidates: CandidatesAfterMove, edge: StoredEdge): PathChange | null {
  const id = edge.target_note_id ?? edge.target_attachment_id;
  if (id === null) return null;
  const move = index.moveOf.get(id);
  if (move !== undefined) return { before: move.from, after: move.to };
  const staying = candidates.at(keysOfEdge(edge)).find((candidate) => candidate.id === id);
  return staying === undefined ? null : { before: staying.path, after: staying.path };
}

/** Returns the lookup keys of all possible texts. A text is looked up by its last segment, and many have the same. */
async function keysOfChoices({ extensions, index, yieldIfDue }: Move, pending: readonly PendingEdge[]) {
  const names = new Set<string>();
  const keys: Buffer[] = [];
  for (const { choices, original } of pending) {
    await yieldIfDue();
    for (const each of [...choices, ...(original === null ? [] : [original])]) {
      const name = fileName(each.target);
      if (names.has(name)) continue;
      names.add(name);
      // From the whole text: white space at the end of a segment is significant, at the end of the text it is not.
      keys.push(...(keysOf(extensions, index.keyOf, each) ?? []));
    }
  }
  return keys;
}

/** Returns the text that a link had before moves rewrote it, if its target is back at the path of that time. */
function originalText({ origin, target: text }: LinkText, target: PathChange | null): string | null {
  const isBack = target !== null && origin?.path === target.after && origin.target !== text;
  return isBack ? origin.target : null;
}

function choicesOf({ form, target: text }: LinkText, source: PathChange, target: PathChange): LinkTarget[] {
  const before = { source: source.before, target: target.before };
  return targetChoices({ before, after: { source: source.after, target: target.after }, form, target: text });
}
