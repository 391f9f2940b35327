import { aliasKey, attachmentNameKey, type Candidate, noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { targetChoices } from '@notevault/note-text/links/retarget.ts';
import { fileName } from '@notevault/note-text/paths.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { MovedItem } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { createLinkResolver, DANGLING, type Target } from './link-resolver.ts';
import type { LinkText, Origin } from './link-texts.ts';
import type { StoredEdge } from './links.store.ts';

/** A link whose text changes so that its target stays the same. */
export interface LinkRewrite {
  readonly ord: number;
  /** The new target text. */
  readonly text: string;
  readonly newTarget: Target;
  /** The text to restore when the target moves back; undefined if this rewrite restores it. */
  readonly origin: Origin | undefined;
  /** The target that the link gets if its form cannot hold the new text. */
  readonly fallback: Target;
}

/** An edge that gets another target while its text stays: a dangling link that finds a target. */
export interface EdgeRetarget {
  readonly source: string;
  readonly ord: number;
  readonly target: Target;
}

/** How edges change when notes and attachments move. */
export interface LinkRewritePlan {
  /** New link texts by source note. */
  readonly rewrites: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
}

/** The paths of a note or attachment before and after a move. */
interface PathChange {
  readonly before: string;
  readonly after: string;
}

/** An edge whose text or target may change, with the possible new texts. */
interface PendingEdge {
  readonly edge: StoredEdge;
  readonly text: LinkText;
  readonly source: PathChange;
  /** The target that the present text would have. */
  readonly now: Target;
  /** The paths of its target; null when it has none or an unreadable one. */
  readonly target: PathChange | null;
  /** Possible texts in the form of the link, best first. */
  readonly choices: readonly string[];
  /** The link's original text, if its target is back at the path of that time: it is preferred. */
  readonly original: string | null;
}

/**
 * Evaluates edges one by one, then decides on all of them at once, so that all possible new names are looked up
 * together.
 */
export interface EdgeEvaluation {
  /** Reads the candidates under some keys, which are those of the edges to evaluate. */
  fetch(keys: readonly Buffer[]): Promise<void>;
  evaluate(edge: StoredEdge, text: LinkText, source: PathChange): void;
  decide(yieldIfDue: YieldIfDue): Promise<LinkRewritePlan>;
}

/** Lookup tables of the moving items. */
export interface MoveIndex {
  readonly moveOf: ReadonlyMap<string, MovedItem>;
  /** Candidates by the hex of their blind keys after the move. */
  readonly moved: ReadonlyMap<string, readonly Candidate[]>;
}

/** @param attachmentExtensions see createLinks. */
export function createRewritePlanner(attachmentExtensions: ReadonlySet<string>) {
  const { keysOf, candidatesFor, targetOf } = createLinkResolver(attachmentExtensions);

  /** Indexes the moving items by id and by their blind keys after the move. */
  async function indexMoves(vault: OpenVault, moves: readonly MovedItem[], yieldIfDue: YieldIfDue): Promise<MoveIndex> {
    const moved = new Map<string, Candidate[]>();
    for (const move of moves) {
      await yieldIfDue();
      const { kind, id, to, aliases } = move;
      const candidate: Candidate = { kind, id, path: to, aliases };
      for (const name of new Set(namesAt(move, to))) {
        const key = vault.key.blind('name', name).toString('hex');
        const list = moved.get(key);
        if (list === undefined) moved.set(key, [candidate]);
        else list.push(candidate);
      }
    }
    return { moveOf: new Map(moves.map((move) => [move.id, move])), moved };
  }

  /**
   * Returns the candidates as they will be after the move, with moved items under their new names and paths; read by
   * key as needed.
   */
  function candidatesAfter(handle: ReadHandle, vault: OpenVault, { moveOf, moved }: MoveIndex) {
    const found = new Map<string, Candidate[]>();
    return {
      async fetch(keys: readonly Buffer[]): Promise<void> {
        const missing = keys.filter((key) => !found.has(key.toString('hex')));
        if (missing.length === 0) return;
        const { at } = await candidatesFor(handle, vault, missing);
        for (const key of missing) {
          const name = key.toString('hex');
          const staying = at([key]).filter(({ id }) => !moveOf.has(id));
          found.set(name, [...staying, ...(moved.get(name) ?? [])]);
        }
      },
      at: (asked: readonly Buffer[]) => asked.flatMap((key) => found.get(key.toString('hex')) ?? []),
    };
  }

  function evaluate(handle: ReadHandle, vault: OpenVault, index: MoveIndex): EdgeEvaluation {
    const candidates = candidatesAfter(handle, vault, index);
    const { moveOf } = index;
    const pending: PendingEdge[] = [];
    // A note may contain the same link thousands of times.
    const known = new Map<string, Target>();
    const resolved = (target: string, { form }: LinkText, source: string) => {
      const name = `${form}\0${source}\0${target}`;
      let found = known.get(name);
      if (found === undefined) {
        const keys = keysOf(vault, { target, form });
        found = keys === null ? DANGLING : targetOf({ target, form }, source, candidates.at(keys));
        known.set(name, found);
      }
      return found;
    };

    function evaluate(edge: StoredEdge, text: LinkText, source: PathChange): void {
      const now = resolved(text.target, text, source.after);
      const target = pathChangeOf(
        edge.target_note_id ?? edge.target_attachment_id,
        moveOf,
        candidates.at(keysOfEdge(edge)),
      );
      const { origin } = text;
      const returned = target !== null && origin?.path === target.after && origin.target !== text.target;
      const original = returned ? origin.target : null;
      if (original === null && isAt(edge, now)) return;
      const choices = target === null ? [] : choicesOf(text, source, target);
      pending.push({ edge, text, source, now, target, choices, original });
    }

    /** Returns the text with which the edge keeps its target; null when its present text does, or when none does. */
    function textFor({ edge, text, source, now, choices, original }: PendingEdge): string | null {
      const texts = [...(original === null ? [] : [original]), ...(isAt(edge, now) ? [] : choices)];
      return texts.find((target) => isAt(edge, resolved(target, text, source.after))) ?? null;
    }

    /**
     * Returns the lookup keys of all possible texts. A text is looked up by its last segment, and many have the same
     * one.
     */
    async function keysOfChoices(yieldIfDue: YieldIfDue): Promise<Buffer[]> {
      const names = new Set<string>();
      const keys: Buffer[] = [];
      for (const { text, choices, original } of pending) {
        await yieldIfDue();
        for (const target of [...choices, ...(original === null ? [] : [original])]) {
          const name = fileName(target);
          if (names.has(name)) continue;
          names.add(name);
          // Keys are made from the whole text: white space at the end of a segment is significant, at the end of the
          // text it is not.
          keys.push(...(keysOf(vault, { target, form: text.form }) ?? []));
        }
      }
      return keys;
    }

    return {
      fetch: candidates.fetch,
      evaluate,
      async decide(yieldIfDue) {
        await candidates.fetch(await keysOfChoices(yieldIfDue));
        const rewrites = new Map<NoteId, LinkRewrite[]>();
        const retargets: EdgeRetarget[] = [];
        for (const each of pending) {
          await yieldIfDue();
          const { edge, text, now, target, original } = each;
          const source = edge.source_id as NoteId;
          const chosen = target === null ? null : textFor(each);
          if (chosen !== null && target !== null) {
            const { target_note_id: note, target_attachment_id: attachment } = edge;
            const newTarget = { note, attachment, path: note === null ? null : target.after };
            const origin =
              chosen === original ? undefined : (text.origin ?? { target: text.target, path: target.before });
            const change = { ord: edge.ord, text: chosen, newTarget, origin, fallback: now };
            const list = rewrites.get(source);
            if (list === undefined) rewrites.set(source, [change]);
            else list.push(change);
          } else if (!isAt(edge, now)) retargets.push({ source, ord: edge.ord, target: now });
        }
        return { rewrites, retargets };
      },
    };
  }

  return { indexMoves, evaluate };
}

/** Returns the names under which a moving item is found at a path. */
export function namesAt({ kind, aliases }: MovedItem, path: string): string[] {
  return kind === 'note' ? [noteNameKey(path), ...aliases.map(aliasKey)] : [attachmentNameKey(path)];
}

export function keysOfEdge(edge: StoredEdge): Buffer[] {
  return [edge.target_key, edge.other_key].filter((key) => key !== null);
}

function isAt(edge: StoredEdge, { note, attachment }: Target): boolean {
  return note === edge.target_note_id && attachment === edge.target_attachment_id;
}

function choicesOf({ form, target: text }: LinkText, source: PathChange, target: PathChange): string[] {
  const before = { source: source.before, target: target.before };
  return targetChoices({ before, after: { source: source.after, target: target.after }, form, target: text });
}

function pathChangeOf(
  id: string | null,
  moveOf: ReadonlyMap<string, MovedItem>,
  candidates: readonly Candidate[],
): PathChange | null {
  if (id === null) return null;
  const move = moveOf.get(id);
  if (move !== undefined) return { before: move.from, after: move.to };
  const still = candidates.find((candidate) => candidate.id === id);
  return still === undefined ? null : { before: still.path, after: still.path };
}
