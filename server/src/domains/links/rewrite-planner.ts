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

/** A link whose text changes so that it goes on pointing where it did. */
export interface LinkRewrite {
  readonly ord: number;
  /** The new target text. */
  readonly text: string;
  readonly newTarget: Target;
  /** What the link goes back to when its target does; none when it has just gone back. */
  readonly origin: Origin | undefined;
  /** Where it points if its form could not hold the new text. */
  readonly fallback: Target;
}

/** An edge that points elsewhere from now on, its text as it was: a dangling one that finds a target. */
export interface EdgeRetarget {
  readonly source: string;
  readonly ord: number;
  readonly target: Target;
}

/** What becomes of edges when notes and attachments move. */
export interface LinkRewritePlan {
  /** New texts by the note whose links they are. */
  readonly rewrites: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
}

/** Where a note or attachment is before and after a move. */
interface PathChange {
  readonly before: string;
  readonly after: string;
}

/** An edge that does not simply go on as it is, and what it might say instead. */
interface PendingEdge {
  readonly edge: StoredEdge;
  readonly text: LinkText;
  readonly source: PathChange;
  /** Where the text it has would point. */
  readonly now: Target;
  /** Where its target is; null when it has none, or one that cannot be opened. */
  readonly target: PathChange | null;
  /** Texts that keep the link's form, best first. */
  readonly choices: readonly string[];
  /** What the link said when its target was there before: it says so again. */
  readonly original: string | null;
}

/** Weighs edges one by one, then decides for all of them at once: so the names they may take are looked up together. */
export interface EdgeEvaluation {
  /** Fetches the candidates under some keys: those of the edges to be weighed. */
  fetch(keys: readonly Buffer[]): Promise<void>;
  evaluate(edge: StoredEdge, text: LinkText, source: PathChange): void;
  decide(yieldIfDue: YieldIfDue): Promise<LinkRewritePlan>;
}

/** What moves, to be looked up while edges are weighed. */
export interface MoveIndex {
  readonly moveOf: ReadonlyMap<string, MovedItem>;
  /** By the hex of the blinded names they will have. */
  readonly moved: ReadonlyMap<string, readonly Candidate[]>;
}

/** @param attachmentExtensions as for createLinks. */
export function createRewritePlanner(attachmentExtensions: ReadonlySet<string>) {
  const { keysOf, candidatesFor, targetOf } = createLinkResolver(attachmentExtensions);

  /** What moves, by id and by the blinded names it will have. */
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

  /** Candidates as they will be: the moved notes under their new names, at their new paths; fetched by key as needed. */
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
    // A note may say the same link thousands of times.
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

    /** The text it takes to keep the edge's target; null when it keeps it as it is, and when none would. */
    function textFor({ edge, text, source, now, choices, original }: PendingEdge): string | null {
      const texts = [...(original === null ? [] : [original]), ...(isAt(edge, now) ? [] : choices)];
      return texts.find((target) => isAt(edge, resolved(target, text, source.after))) ?? null;
    }

    /** A text is looked up by its last segment, and many have the same. */
    async function keysOfChoices(yieldIfDue: YieldIfDue): Promise<Buffer[]> {
      const names = new Set<string>();
      const keys: Buffer[] = [];
      for (const { text, choices, original } of pending) {
        await yieldIfDue();
        for (const target of [...choices, ...(original === null ? [] : [original])]) {
          const name = fileName(target);
          if (names.has(name)) continue;
          names.add(name);
          // By the whole text: white space at an end of a segment counts, at an end of the text it does not.
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

/** The names under which something that moves is found at a path. */
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
