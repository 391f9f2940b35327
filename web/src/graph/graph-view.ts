import { DirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { NodePointProgram } from 'sigma/rendering';
import { trustedScriptUrl } from '../platform/trusted-script-url.ts';
import { EdgeLayer, isWebGlSlow, NoEdges } from './edge-layer.ts';
import { type GraphColors, onTheme, readColors } from './graph-colors.ts';
import workerUrl from './layout.worker.ts?worker&url';
import type { LayoutAnswer, LayoutRequest } from './layout-messages.ts';
import type { GraphPart } from './model/graph-index.ts';
import { startPositions } from './model/layout.ts';
import type { NodeLook } from './node-look.ts';

export interface GraphViewOptions {
  readonly open: (id: string, newTab: boolean) => void;
}

/** What stands out: all else is dimmed. */
export interface Emphasis {
  /** Null when nothing is looked for. */
  readonly found: ReadonlySet<string> | null;
  readonly chosen: string | null;
}

/** Nodes and links added between two rests, so that keys and frames are not kept waiting. */
const SLICE = 2_000;
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
  /** The notes that are drawn and where, as coordinates in their order. */
  #placed: Pick<LayoutRequest, 'positions' | 'edges'> & { readonly ids: readonly string[] } = NOTHING;
  #shown = 0;
  /** Which of what was to be shown is drawn. */
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
      labelRenderedSizeThreshold: 7,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      hideEdgesOnMove: true,
      zIndex: true,
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

  /** Shows notes and links, which keep their places from before. */
  async show({ notes, edges }: GraphPart): Promise<void> {
    const own = ++this.#shown;
    const ids = notes.map(({ id }) => id);
    const known = this.#places();
    const positions = startPositions(ids, edges, known);
    if (!(await this.#rest(own))) return;
    const graph = new DirectedGraph<NodeLook>();
    for (const [at, { id, name, degree }] of notes.entries()) {
      const [x, y] = [positions[at * 2] ?? 0, positions[at * 2 + 1] ?? 0];
      graph.addNode(id, { x, y, label: name, size: Math.min(14, 2.5 + Math.sqrt(degree)) });
      if (at % SLICE === SLICE - 1 && !(await this.#rest(own))) return;
    }
    for (let at = 0; at < edges.length; at += 2) {
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
    this.#sigma.setGraph(graph);
    this.#worker.postMessage(request);
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

  /** Where each note is. */
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
    const isPlain = found === null && chosen === null && this.#hovered === null;
    this.#sigma.setSettings({
      nodeReducer: isPlain ? null : (id, node) => this.#lookOfNode(id, node),
      edgeReducer: isPlain ? null : (edge) => this.#lookOfEdge(edge),
    });
  }

  #applyColors(): void {
    const { text, node, edge } = this.#colors;
    this.#sigma.setSettings({ labelColor: { color: text }, defaultNodeColor: node, defaultEdgeColor: edge });
    this.#redraw();
  }

  /** Whether a node is what others are shown in relation to. */
  #isNear(id: string): boolean {
    const centre = this.#hovered ?? this.#emphasis.chosen;
    const graph = this.#sigma.getGraph();
    return centre !== null && (centre === id || (graph.hasNode(centre) && graph.areNeighbors(centre, id)));
  }

  #drawnEdges() {
    const { ids, positions, edges } = this.#placed;
    const centre = this.#hovered ?? this.#emphasis.chosen;
    return {
      positions,
      edges,
      isStill: this.#place.dataset.state === 'settled',
      centre: centre === null ? null : ids.indexOf(centre),
      color: this.#colors.edge,
      accent: this.#colors.accent,
    };
  }

  #lookOfNode(id: string, node: NodeLook) {
    const { found, chosen } = this.#emphasis;
    const { accent, node: plain, dim } = this.#colors;
    if (id === chosen || id === this.#hovered) return { ...node, color: accent, zIndex: 2, forceLabel: true };
    if (found?.has(id) ?? false) return { ...node, color: accent, zIndex: 1, forceLabel: (found?.size ?? 0) < 50 };
    const hasCentre = this.#hovered !== null || chosen !== null;
    if (found === null && !hasCentre) return { ...node, color: plain };
    return hasCentre && this.#isNear(id)
      ? { ...node, color: plain, zIndex: 1, forceLabel: true }
      : { ...node, color: dim, label: '' };
  }

  #lookOfEdge(edge: string) {
    const centre = this.#hovered ?? this.#emphasis.chosen;
    const graph = this.#sigma.getGraph();
    const isNear = centre !== null && graph.hasNode(centre) && graph.hasExtremity(edge, centre);
    return {
      color: isNear ? this.#colors.accent : this.#colors.edge,
      size: isNear ? 1.5 : 0.7,
      zIndex: isNear ? 1 : 0,
    };
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

function wantsStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
