import { bestMatches, type Candidate } from '@notevault/note-text/names/match.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { noteName, parentOf } from '../../../data/tree/tree-index.ts';
import type { NoteSuggestion } from '../../../editor/index.ts';
import { linkIndexOf } from './link-index.ts';

interface Choice extends Candidate {
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

/** What a link that is being written may mean, the best first: notes by their names and by their aliases. */
export function linkChoices(tree: VaultTree, typed: string, limit: number): NoteSuggestion[] {
  const index = linkIndexOf(tree);
  return bestMatches(choicesOf(tree), typed, limit).map(({ name, path, isAlias }) => {
    const text = index.linkTextOf(path);
    return isAlias
      ? { title: name, insert: `${text}|${name.replace(/[[\]|\n]/g, ' ')}`, detail: noteName(path) }
      : { title: name, insert: text, detail: parentOf(path) };
  });
}
