import { withWords } from '@notevault/note-text/names/match.ts';
import { compareCodePoints } from '@notevault/note-text/names/order.ts';
import type { VaultGraph } from '@notevault/protocol/sync.ts';
import { noteName } from '../../../data/tree/tree-index.ts';

/** A note as the graph shows it. */
export interface GraphNote {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  /** Without `#`. */
  readonly tags: readonly string[];
  /** How many notes it links to or is linked from, each once. */
  readonly degree: number;
}

/** The notes beside one, each once and ordered by name. */
export interface Neighbours {
  readonly to: readonly GraphNote[];
  readonly from: readonly GraphNote[];
}

/** The notes and links that a graph draws. */
export interface GraphPart {
  readonly notes: readonly GraphNote[];
  /** Places in `notes`, in pairs: from, to, from, to … */
  readonly edges: Uint32Array;
}

/** The notes of a vault and their links, to be looked up. */
export class GraphIndex {
  readonly notes: readonly GraphNote[];
  readonly linkCount: number;
  readonly #byId: ReadonlyMap<string, number>;
  readonly #to: readonly number[][];
  readonly #from: readonly number[][];
  #ranked: readonly { readonly name: string; readonly detail: string; readonly note: GraphNote }[] | null = null;

  constructor({ nodes, edges }: VaultGraph) {
    this.#byId = new Map(nodes.map(({ id }, at) => [id, at]));
    this.#to = nodes.map(() => []);
    this.#from = nodes.map(() => []);
    let count = 0;
    for (const [source = '', target = ''] of edges) {
      const [from, to] = [this.#byId.get(source), this.#byId.get(target)];
      // A note may have been deleted between the reading of the notes and that of the links.
      if (from === undefined || to === undefined || from === to) continue;
      this.#to[from]?.push(to);
      this.#from[to]?.push(from);
      count++;
    }
    this.linkCount = count;
    this.notes = nodes.map(({ id, path, title, tags = [] }, at) => {
      const beside = new Set([...(this.#to[at] ?? []), ...(this.#from[at] ?? [])]);
      return { id, path, name: title || noteName(path), tags, degree: beside.size };
    });
  }

  byId(id: string): GraphNote | null {
    return this.#notesAt([this.#byId.get(id) ?? -1])[0] ?? null;
  }

  /** @param compare the order of names. */
  neighboursOf(id: string, compare: (a: string, b: string) => number): Neighbours {
    const at = this.#byId.get(id);
    if (at === undefined) return { to: [], from: [] };
    const sorted = (places: readonly number[] = []) =>
      this.#notesAt(places).sort((a, b) => compare(a.name, b.name) || compareCodePoints(a.path, b.path));
    return { to: sorted(this.#to[at]), from: sorted(this.#from[at]) };
  }

  /** Returns the notes whose name or path has all words of a query, most links first. */
  find(query: string): readonly GraphNote[] {
    // Sorted once: the list of all notes is read again with every rendering.
    this.#ranked ??= [...this.notes]
      .sort((a, b) => b.degree - a.degree || compareCodePoints(a.path, b.path))
      .map((note) => ({ name: note.name, detail: note.path, note }));
    return withWords(this.#ranked, query).map(({ note }) => note);
  }

  /** Returns the notes with the most links, up to a maximum. */
  mostLinked(most: number): readonly GraphNote[] {
    return this.find('')
      .slice(0, most)
      .filter(({ degree }) => degree > 0);
  }

  /** Returns the nearest notes within a number of steps of a note, up to `most`, and the links between them. */
  around(id: string, steps: number, most: number): GraphPart {
    const start = this.#byId.get(id);
    const found = new Set(start === undefined ? [] : [start]);
    let edge = [...found];
    for (let step = 0; step < steps && found.size < most; step++) {
      const next: number[] = [];
      for (const at of edge) {
        for (const beside of [...(this.#to[at] ?? []), ...(this.#from[at] ?? [])]) {
          if (found.has(beside) || found.size >= most) continue;
          found.add(beside);
          next.push(beside);
        }
      }
      edge = next;
    }
    return this.#part([...found]);
  }

  /** The notes that are wanted, and the links among them. @param areLinked leaves out notes without links. */
  whole(areLinked: boolean, isWanted: (note: GraphNote) => boolean = () => true): GraphPart {
    const places: number[] = [];
    for (const [at, note] of this.notes.entries())
      if ((!areLinked || note.degree > 0) && isWanted(note)) places.push(at);
    return this.#part(places);
  }

  #part(places: readonly number[]): GraphPart {
    const ranks = new Map(places.map((at, place) => [at, place]));
    const edges: number[] = [];
    for (const [at, place] of ranks) {
      for (const to of this.#to[at] ?? []) {
        const target = ranks.get(to);
        if (target !== undefined) edges.push(place, target);
      }
    }
    return { notes: this.#notesAt(places), edges: Uint32Array.from(edges) };
  }

  #notesAt(places: readonly number[]): GraphNote[] {
    return places.flatMap((at) => this.notes[at] ?? []);
  }
}

const indexes = new WeakMap<VaultGraph, GraphIndex>();

/** The index of a graph, made once for all that show it. */
export function graphIndexOf(graph: VaultGraph): GraphIndex {
  const index = indexes.get(graph) ?? new GraphIndex(graph);
  indexes.set(graph, index);
  return index;
}
