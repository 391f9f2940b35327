import type { Counted } from '@notevault/protocol/notes.ts';

/** A tag with those nested in it: `plan` has `plan/2027`. */
export interface TagNode {
  /** The whole tag, without `#`. */
  readonly name: string;
  /** The last part of it. */
  readonly label: string;
  /** The number of notes with it; null for one that only has others in it. */
  readonly count: number | null;
  readonly inner: readonly TagNode[];
}

/** Puts nested tags into those that they are in. Names are compared without case, and come in the order of a language. */
export function tagTree(tags: readonly Counted[], language: string): TagNode[] {
  interface Draft {
    name: string;
    label: string;
    count: number | null;
    inner: Map<string, Draft>;
  }
  const root = new Map<string, Draft>();
  for (const { name, count } of tags) {
    const parts = name.split('/');
    let level = root;
    parts.forEach((label, depth) => {
      const key = label.toLowerCase();
      const isItself = depth === parts.length - 1;
      const found = level.get(key) ?? {
        name: parts.slice(0, depth + 1).join('/'),
        label,
        count: null,
        inner: new Map(),
      };
      if (isItself) Object.assign(found, { name, label, count: (found.count ?? 0) + count });
      level.set(key, found);
      level = found.inner;
    });
  }
  const { compare } = new Intl.Collator(language, { numeric: true });
  const nodes = (drafts: Map<string, Draft>): TagNode[] =>
    [...drafts.values()]
      .sort((a, b) => compare(a.label, b.label))
      .map(({ inner, ...node }) => ({ ...node, inner: nodes(inner) }));
  return nodes(root);
}
