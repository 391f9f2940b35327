import { DirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { NodePointProgram } from 'sigma/rendering';
import { onTheme } from '../../platform/theme-colors.ts';
import { trustedScriptUrl } from '../../platform/trusted-script-url.ts';
import { EdgeLayer, isWebGlSlow, type NodeLook, NoEdges } from './edge-layer.ts';
import { faded, type GraphColors, opacityOfEdges, readColors } from './graph-colors.ts';
import workerUrl from './layout.worker.ts?worker&url';
import type { LayoutAnswer, LayoutRequest } from './layout-messages.ts';
import type { GraphPart } from './model/graph-index.ts';
import { startPositions } from './model/layout.ts';
import { boxOf, mainPart } from './model/main-part.ts';

export interface GraphViewOptions {
  readonly open: (id: string, newTab: boolean) => void;
}

/** Highlighted nodes; all others are dimmed. */
export interface Emphasis {
  /** Null when nothing is looked for. */
  readonly found: ReadonlySet<string> | null;
  readonly chosen: string | null;
  /** Whether all that is shown is around the chosen note: then nothing is faded, and all of it is in view. */
  readonly isAround?: boolean;
}

/** Nodes and links added between two rests, so that keys and frames are not kept waiting. */
const SLICE = 2_000;
/** Fewer notes than this all have their names. */
const NAMED = 50;
const [STEPS, FEWER_STEPS] = [400, 60];
const NOTHING = { ids: [], positions: new Float32Array(), edges: new Uint32Array() };
/** Cheaper than circles and rectangles, for where there is no graphics card. */
const CHEAP = { nodeProgramClasses: { circle: NodePointProgram<NodeLook> }, edgeProgramClasses: { line: NoEdges } };

/** Draws a graph with WebGL. Its layout is computed by a worker. Throws where the browser has no WebGL. */
export class GraphView implements Disposable {
  readonly #sigma: Sigma<NodeLook>;
  readonly #worker = new Worker(trustedScriptUrl(workerUrl), { type: 'module' });
  readonly #place: HTMLElement;
  readonly #edges: EdgeLayer | null = null;
  readonly #stopTheme: () => void;
  #colors: GraphColors;
  #emphasis: Emphasis = { found: null, chosen: null };
  #hovered: string | null = null;
  /** The hovered or selected note and its neighbours. */
  #near: ReadonlySet<string> = new Set();
  /** The notes that are drawn and where, as coordinates in their order. */
  #placed: Pick<LayoutRequest, 'positions' | 'edges'> & { readonly ids: readonly string[] } = NOTHING;
  #part: GraphPart | null = null;
  /** Places of the notes that fill the picture. */
  #main: readonly number[] = [];
  #shown = 0;
  /** The part of the graph that is drawn. */
  #drawn = 0;
  #followed: string | null = null;

  constructor(place: HTMLElement, { open }: GraphViewOptions) {
    this.#place = place;
    this.#colors = readColors(place);
    const isSlow = isWebGlSlow();
    this.#sigma = new Sigma<NodeLook>(new DirectedGraph<NodeLook>(), place, {
      allowInvalidContainer: true,
      labelFont: getComputedStyle(place).fontFamily,
      labelSize: 12,
      labelDensity: 0.8,
      labelGridCellSize: 130,
      // Names of notes at the edge are not cut off.
      stagePadding: 56,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      hideEdgesOnMove: true,
      zIndex: true,
      defaultDrawNodeLabel: (context, node, settings) => this.#drawLabel(context, node, settings),
      defaultDrawNodeHover: (context, node, settings) => this.#drawHover(context, node, settings),
      ...(isSlow ? CHEAP : {}),
    });
    if (isSlow) this.#edges = new EdgeLayer(this.#sigma, () => this.#drawnEdges());
    this.#sigma.on('clickNode', ({ node, event: { original } }) => {
      open(node, 'ctrlKey' in original && (original.ctrlKey || original.metaKey));
    });
    this.#sigma.on('enterNode', ({ node }) => this.#hover(node));
    for (const move of ['downStage', 'wheelStage'] as const) {
      this.#sigma.on(move, () => {
        this.#followed = null;
      });
    }
    this.#sigma.on('leaveNode', () => this.#hover(null));
    this.#worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => this.#move(data));
    this.#applyColors();
    this.#stopTheme = onTheme(() => {
      this.#colors = readColors(place);
      this.#applyColors();
    });
  }

  /** Shows notes and links, which keep their places from before. @param colors of the notes, by their places. */
  async show(part: GraphPart, colors: readonly (string | undefined)[] = []): Promise<void> {
    if (part === this.#part) return this.#paint(colors);
    this.#part = part;
    const { notes, edges } = part;
    const own = ++this.#shown;
    const ids = notes.map(({ id }) => id);
    const known = this.#places();
    const positions = startPositions(ids, edges, known);
    if (!(await this.#rest(own))) return;
    this.#sigma.setSetting('labelRenderedSizeThreshold', notes.length < NAMED ? 0 : 4.5);
    const graph = new DirectedGraph<NodeLook>();
    for (const [at, { id, name, degree }] of notes.entries()) {
      const [x, y] = [positions[at * 2] ?? 0, positions[at * 2 + 1] ?? 0];
      const color = colors[at];
      const look = { x, y, label: name, size: Math.min(14, 2.5 + Math.sqrt(degree)) };
      graph.addNode(id, color === undefined ? look : { ...look, color });
      if (at % SLICE === SLICE - 1 && !(await this.#rest(own))) return;
    }
    // The layer draws those that sigma would only look at.
    for (let at = 0; at < edges.length && this.#edges === null; at += 2) {
      graph.addDirectedEdgeWithKey(String(at / 2), ids[edges[at] ?? 0], ids[edges[at + 1] ?? 0]);
      if (at % SLICE === SLICE - 2 && !(await this.#rest(own))) return;
    }
    const isKnown = notes.length > 0 && notes.every(({ id }) => known.has(id));
    const request: LayoutRequest = { run: own, positions, edges, steps: isKnown ? FEWER_STEPS : STEPS };
    // Sigma takes in and draws all of it at once, so nothing else is in that task.
    if (!(await this.#rest(own))) return;
    this.#place.dataset.state = 'moving';
    this.#drawn = own;
    this.#placed = { ids, positions, edges };
    this.#main = mainPart(ids.length, edges);
    this.#findNear();
    // With what is still drawn: each setting makes sigma look at every node and edge.
    this.#fade();
    this.#sigma.setGraph(graph);
    this.#worker.postMessage(request);
  }

  /** Gives the notes that are shown other colours; they stay where they are. */
  #paint(colors: readonly (string | undefined)[]): void {
    let at = 0;
    this.#sigma.getGraph().forEachNode((_, node) => {
      node.color = colors[at++] ?? this.#colors.node;
    });
    this.#sigma.refresh();
  }

  emphasize(emphasis: Emphasis): void {
    this.#emphasis = emphasis;
    this.#redraw();
  }

  /** Moves to a note, and stays with it while the layout goes on, until somebody moves the picture. */
  lookAt(id: string): void {
    this.#followed = id;
    this.#follow(false);
  }

  [Symbol.dispose](): void {
    this.#shown++;
    this.#stopTheme();
    this.#worker.terminate();
    this.#edges?.[Symbol.dispose]();
    this.#sigma.kill();
  }

  /** Lets the page answer; false when something else is to be shown meanwhile. */
  async #rest(own: number): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    return own === this.#shown;
  }

  #move({ run, positions, isDone }: LayoutAnswer): void {
    // An answer to an earlier request, which another one has replaced.
    if (run !== this.#drawn) return;
    const graph = this.#sigma.getGraph();
    // A large graph moves for longer than people who asked for stillness should have to look at.
    if (!isDone && wantsStillness()) return;
    this.#placed = { ...this.#placed, positions };
    if (isDone) this.#place.dataset.state = 'settled';
    let at = 0;
    // In place: of an update sigma would hear, and look at every node twice before the refresh does.
    graph.forEachNode((_, node) => {
      node.x = positions[at++] ?? 0;
      node.y = positions[at++] ?? 0;
    });
    // Notes that nothing is linked to are far away; what is linked together fills the picture.
    this.#sigma.setCustomBBox(boxOf(this.#main, positions));
    // Sigma reads the places of all nodes when it draws; how they look has not changed.
    this.#sigma.refresh({ partialGraph: {} });
    this.#follow(true);
  }

  #follow(isAtOnce: boolean): void {
    const place = this.#followed === null ? undefined : this.#sigma.getNodeDisplayData(this.#followed);
    if (place === undefined) return;
    const camera = this.#sigma.getCamera();
    const target = { x: place.x, y: place.y, ratio: Math.min(camera.ratio, 0.4) };
    if (isAtOnce || wantsStillness()) camera.setState(target);
    else void camera.animate(target, { duration: 250 });
  }

  /** Returns the position of each note. */
  #places(): ReadonlyMap<string, readonly [number, number]> {
    const { ids, positions } = this.#placed;
    return new Map(ids.map((id, at) => [id, [positions[at * 2] ?? 0, positions[at * 2 + 1] ?? 0]]));
  }

  #hover(id: string | null): void {
    this.#hovered = id;
    this.#place.style.cursor = id === null ? '' : 'pointer';
    this.#redraw();
  }

  /** Draws with the next frame. Without anything that stands out, no node or link is looked at by itself. */
  #redraw(): void {
    const { found, chosen } = this.#emphasis;
    this.#findNear();
    const isPlain = found === null && chosen === null && this.#hovered === null;
    this.#sigma.setSettings({
      nodeReducer: isPlain ? null : (id, node) => this.#lookOfNode(id, node),
      edgeReducer: isPlain ? null : (edge) => this.#lookOfEdge(edge),
    });
  }

  #applyColors(): void {
    const { text, node } = this.#colors;
    this.#sigma.setSettings({ labelColor: { color: text }, defaultNodeColor: node });
    this.#fade();
    this.#redraw();
  }

  /** The more links there are, the paler each of them is: together they are as dark as a few. */
  #fade(): void {
    this.#sigma.setSettings({ defaultEdgeColor: this.#edgeColor(false) });
  }

  #edgeColor(isBeside: boolean): string {
    const strength = opacityOfEdges(this.#placed.edges.length / 2) * (isBeside ? 0.3 : 1);
    return faded(this.#colors.edge, strength);
  }

  #findNear(): void {
    const { ids, edges } = this.#placed;
    const centre = this.#hovered ?? this.#emphasis.chosen;
    const near = new Set<string>();
    this.#near = near;
    if (centre === null) return;
    near.add(centre);
    const at = ids.indexOf(centre);
    for (const [index, end] of edges.entries()) if (end === at) near.add(ids[edges[index ^ 1] ?? 0] ?? '');
  }

  #drawnEdges() {
    const { ids, positions, edges } = this.#placed;
    const centre = this.#hovered ?? this.#emphasis.chosen;
    return {
      positions,
      edges,
      isStill: this.#place.dataset.state === 'settled',
      centre: centre === null ? null : ids.indexOf(centre),
      color: this.#edgeColor(centre !== null || this.#emphasis.found !== null),
      accent: this.#colors.accent,
    };
  }

  #lookOfNode(id: string, node: NodeLook) {
    const { found, chosen, isAround = false } = this.#emphasis;
    const { accent, node: plain, dim } = this.#colors;
    if (id === chosen || id === this.#hovered) return { ...node, color: accent, zIndex: 2, forceLabel: true };
    if (found?.has(id) ?? false) return { ...node, color: accent, zIndex: 1, forceLabel: (found?.size ?? 0) < NAMED };
    const isFew = (this.#part?.notes.length ?? 0) < NAMED;
    const hasCentre = this.#hovered !== null || (chosen !== null && !isAround);
    if (found === null && !hasCentre) return { ...node, color: node.color ?? plain, forceLabel: isAround && isFew };
    return hasCentre && this.#near.has(id)
      ? { ...node, color: node.color ?? plain, zIndex: 1, forceLabel: true }
      : { ...node, color: dim, label: '' };
  }

  #lookOfEdge(edge: string) {
    const centre = this.#hovered ?? this.#emphasis.chosen;
    const graph = this.#sigma.getGraph();
    const isNear = centre !== null && graph.hasNode(centre) && graph.hasExtremity(edge, centre);
    return {
      color: isNear ? this.#colors.accent : this.#edgeColor(true),
      size: isNear ? 1.5 : 0.7,
      zIndex: isNear ? 1 : 0,
    };
  }

  /** The name under a node, the larger the more is linked, with the page around it so that links do not cross it out. */
  #drawLabel(
    context: CanvasRenderingContext2D,
    { x, y, size, label }: { x: number; y: number; size: number; label?: string | null },
    { labelFont }: { labelFont: string },
  ): void {
    if (!label) return;
    const text = label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX - 1)}…` : label;
    context.font = `500 ${Math.min(15, 10.5 + size / 4)}px ${labelFont}`;
    context.textAlign = 'center';
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = this.#colors.page;
    context.fillStyle = this.#colors.text;
    context.strokeText(text, x, y + size + 13);
    context.fillText(text, x, y + size + 13);
    context.textAlign = 'start';
  }

  /** The name beside the node under the pointer, readable above all else. */
  #drawHover(
    context: CanvasRenderingContext2D,
    { x, y, size, label }: { x: number; y: number; size: number; label?: string | null },
    { labelSize, labelFont }: { labelSize: number; labelFont: string },
  ): void {
    if (!label) return;
    context.font = `600 ${labelSize}px ${labelFont}`;
    const width = context.measureText(label).width + 12;
    const [left, top] = [x + size + 2, y - labelSize];
    context.fillStyle = this.#colors.page;
    context.strokeStyle = this.#colors.accent;
    context.beginPath();
    context.roundRect(left, top, width, labelSize * 2, 4);
    context.fill();
    context.stroke();
    context.fillStyle = this.#colors.text;
    context.fillText(label, left + 6, y + labelSize / 3);
  }
}

/** Characters of a name; all of it is shown beside the pointer. */
const LABEL_MAX = 32;

function wantsStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
