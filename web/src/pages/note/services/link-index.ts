import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import {
  aliasKey,
  attachmentNameKey,
  type Candidate,
  lookupOf,
  noteNameKey,
  resolve,
} from '@notevault/note-text/links/resolve.ts';
import { bestMatches, type Candidate as NameCandidate } from '@notevault/note-text/names/match.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { noteName, parentOf } from '../../../data/tree/tree-index.ts';
import type { NoteSuggestion } from '../../../editor/index.ts';

/** Finds what links mean among the notes and attachments of a vault, by the rules of the server. */
export class LinkIndex {
  readonly #byName = new Map<string, Candidate[]>();

  constructor(tree: VaultTree) {
    for (const { id, path, aliases = [] } of tree.notes) {
      const note: Candidate = { kind: 'note', id, path, aliases };
      for (const key of new Set([noteNameKey(path), ...aliases.map(aliasKey)])) this.#add(key, note);
    }
    for (const { id, path } of tree.attachments) {
      this.#add(attachmentNameKey(path), { kind: 'attachment', id, path, aliases: [] });
    }
  }

  /** The note or attachment that a link in a note means; null for none. */
  resolve(link: LinkTarget, sourcePath: string): Candidate | null {
    const lookup = lookupOf(link.target, link.form, NO_EXTENSIONS);
    const candidates =
      lookup.kind === 'self'
        ? (this.#byName.get(noteNameKey(sourcePath)) ?? [])
        : lookup.stems.flatMap((stem) => this.#byName.get(stem) ?? []);
    return resolve(link, sourcePath, candidates);
  }

  /** Returns the text between brackets for a note: its name if unique, else its path. */
  linkTextOf(path: string): string {
    const named = this.#byName.get(noteNameKey(path)) ?? [];
    const isOnly = named.filter((one) => one.kind === 'note' && noteNameKey(one.path) === noteNameKey(path)).length < 2;
    const text = isOnly ? path.slice(path.lastIndexOf('/') + 1) : path;
    return text.replace(/\.md$/i, '');
  }

  #add(key: string, candidate: Candidate): void {
    const same = this.#byName.get(key);
    if (same === undefined) this.#byName.set(key, [candidate]);
    else same.push(candidate);
  }
}

const NO_EXTENSIONS: ReadonlySet<string> = new Set();
const indexes = new WeakMap<VaultTree, LinkIndex>();

/** The index of a tree, made when it is first asked for. */
export function linkIndexOf(tree: VaultTree): LinkIndex {
  const index = indexes.get(tree) ?? new LinkIndex(tree);
  indexes.set(tree, index);
  return index;
}

/** The path of the note that a dangling link asks for: beside the note with the link, unless it names a folder. */
export function pathForDangling(target: string, sourcePath: string): string {
  const name = target.replace(/^\/+/, '').replace(/\.md$/i, '');
  const folder = target.includes('/') ? '' : sourcePath.slice(0, sourcePath.lastIndexOf('/') + 1);
  return `${folder}${name}.md`;
}

interface Choice extends NameCandidate {
  readonly path: string;
  readonly isAlias: boolean;
}

const choices = new WeakMap<VaultTree, readonly Choice[]>();

function choicesOf(tree: VaultTree): readonly Choice[] {
  const known = choices.get(tree);
  if (known !== undefined) return known;
  const all = tree.notes.flatMap(({ path, aliases = [] }) => [
    { name: noteName(path), detail: path, path, isAlias: false },
    ...aliases.map((name) => ({ name, detail: path, path, isAlias: true })),
  ]);
  choices.set(tree, all);
  return all;
}

/** Suggests targets for a link being typed, best first: notes by name and by alias. */
export function linkChoices(tree: VaultTree, typed: string, limit: number): NoteSuggestion[] {
  const index = linkIndexOf(tree);
  return bestMatches(choicesOf(tree), typed, limit).map(({ name, path, isAlias }) => {
    const text = index.linkTextOf(path);
    return isAlias
      ? { title: name, insert: `${text}|${name.replace(/[[\]|\n]/g, ' ')}`, detail: noteName(path) }
      : { title: name, insert: text, detail: parentOf(path) };
  });
}
