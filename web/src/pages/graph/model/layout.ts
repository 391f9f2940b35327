import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** Input of a layout. */
export interface LayoutInput {
  /** x and y of each node. */
  readonly positions: Float32Array;
  /** Places of nodes, in pairs: from, to, from, to … */
  readonly edges: Uint32Array;
}

// The library's matrices: ten values a node, three an edge.
const [NODE, EDGE] = [10, 3];
const [MASS, CONVERGENCE, SIZE] = [6, 7, 8];
/** From here on, far nodes are taken together. */
const MANY = 1_000;

/** Draws linked nodes together and all others apart (ForceAtlas2), a step at a time. */
export class Layout {
  readonly #nodes: Float32Array;
  readonly #edges: Float32Array;
  readonly #settings: object;

  constructor({ positions, edges }: LayoutInput) {
    const count = positions.length / 2;
    this.#nodes = new Float32Array(count * NODE);
    for (let at = 0; at < count; at++) {
      this.#nodes[at * NODE] = positions[at * 2] ?? 0;
      this.#nodes[at * NODE + 1] = positions[at * 2 + 1] ?? 0;
      for (const one of [MASS, CONVERGENCE, SIZE]) this.#nodes[at * NODE + one] = 1;
    }
    this.#edges = new Float32Array((edges.length / 2) * EDGE);
    for (let at = 0; at < edges.length / 2; at++) {
      for (const end of [0, 1]) {
        const row = (edges[at * 2 + end] ?? 0) * NODE;
        this.#edges[at * EDGE + end] = row;
        this.#nodes[row + MASS] = (this.#nodes[row + MASS] ?? 0) + 1;
      }
      this.#edges[at * EDGE + 2] = 1;
    }
    this.#settings = {
      linLogMode: false,
      outboundAttractionDistribution: false,
      adjustSizes: false,
      edgeWeightInfluence: 1,
      scalingRatio: 10,
      strongGravityMode: true,
      gravity: 0.05,
      slowDown: 1 + Math.log(Math.max(1, count)),
      barnesHutOptimize: count > MANY,
      barnesHutTheta: 0.5,
    };
  }

  step(): void {
    if (this.#nodes.length > 0) iterate(this.#settings, this.#nodes, this.#edges);
  }

  /** x and y of each node now. */
  positions(): Float32Array<ArrayBuffer> {
    const positions = new Float32Array((this.#nodes.length / NODE) * 2);
    for (let at = 0; at < positions.length; at++) {
      positions[at] = this.#nodes[(at >> 1) * NODE + (at & 1)] ?? 0;
    }
    return positions;
  }
}

/** How far apart nodes begin. */
const APART = 10;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * Where nodes begin: where they were, beside a neighbour that was there before, or on a spiral from the middle. The same
 * notes begin at the same places each time.
 *
 * @param ids of the nodes, in order.
 * @param before positions of an earlier layout by id.
 */
export function startPositions(
  ids: readonly string[],
  edges: Uint32Array,
  before: ReadonlyMap<string, readonly [number, number]>,
): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(ids.length * 2);
  const isOld = ids.map((id) => before.has(id));
  const place = (at: number, [x, y]: readonly [number, number]) => positions.set([x, y], at * 2);
  for (const [at, id] of ids.entries()) place(at, before.get(id) ?? spiral(at));
  for (let at = 0; at < edges.length; at += 2) {
    for (const [one, other] of [
      [edges[at] ?? 0, edges[at + 1] ?? 0],
      [edges[at + 1] ?? 0, edges[at] ?? 0],
    ] as const) {
      const beside = before.get(ids[other] ?? '');
      const [x, y] = spiral(one % 7);
      if (isOld[one] !== true && beside !== undefined) place(one, [beside[0] + x, beside[1] + y]);
    }
  }
  return positions;
}

function spiral(at: number): readonly [number, number] {
  const radius = APART * Math.sqrt(at + 1);
  return [radius * Math.cos(at * GOLDEN_ANGLE), radius * Math.sin(at * GOLDEN_ANGLE)];
}
