/** A rectangle around the points that are looked at. */
export interface Box {
  readonly x: [number, number];
  readonly y: [number, number];
}

/** Of so many points at each side, few enough are left out that a lonely one does not make all others small. */
const LEFT_OUT = 0.01;

/** Returns the nodes of the largest connected part. @param edges places of nodes in pairs. */
export function mainPart(count: number, edges: Uint32Array): readonly number[] {
  const parents = Uint32Array.from({ length: count }, (_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] = parents[parents[root] ?? root] ?? root;
    return root;
  };
  for (let at = 0; at < edges.length; at += 2) parents[rootOf(edges[at] ?? 0)] = rootOf(edges[at + 1] ?? 0);
  const sizes = new Uint32Array(count);
  let main = 0;
  for (let at = 0; at < count; at++) {
    const root = rootOf(at);
    const size = (sizes[root] ?? 0) + 1;
    sizes[root] = size;
    if (size > (sizes[main] ?? 0)) main = root;
  }
  return Array.from({ length: count }, (_, at) => at).filter((at) => rootOf(at) === main);
}

/** The rectangle around nodes, without the outermost of many; null for fewer than two. */
export function boxOf(nodes: readonly number[], positions: Float32Array): Box | null {
  if (nodes.length < 2) return null;
  const along = (axis: 0 | 1): [number, number] => {
    const sorted = Float32Array.from(nodes, (at) => positions[at * 2 + axis] ?? 0).sort();
    const out = Math.floor(sorted.length * LEFT_OUT);
    const [least = 0, most = 0] = [sorted[out], sorted[sorted.length - 1 - out]];
    return least === most ? [least - 1, most + 1] : [least, most];
  };
  return { x: along(0), y: along(1) };
}
