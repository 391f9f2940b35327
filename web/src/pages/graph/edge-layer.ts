import type Sigma from 'sigma';
import { AbstractEdgeProgram } from 'sigma/rendering';

/** Attributes that sigma stores for a node. */
export interface NodeLook {
  x: number;
  y: number;
  size: number;
  label: string;
  /** Of its group; without one, that of all others. */
  color?: string;
}

/** Edges to draw: coordinates of nodes, and their indices in pairs: from, to, from, to … */
export interface DrawnEdges {
  readonly positions: Float32Array;
  readonly edges: Uint32Array;
  /** Whether the nodes stay where they are. */
  readonly isStill: boolean;
  /** Index of the node whose edges are highlighted; null without one. */
  readonly centre: number | null;
  readonly color: string;
  readonly accent: string;
}

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** Number of edges drawn per frame. */
const SLICE = 1_000;
/** How long the graph must stay unchanged before many edges are drawn, in milliseconds. */
const REST_MS = 80;

/** Leaves edges out: the layer draws them. */
export class NoEdges extends AbstractEdgeProgram<NodeLook> {
  override drawLabel = undefined;
  override reallocate(): void {}
  override process(): void {}
  override render(): void {}
  override kill(): void {}
}

/** Whether WebGL draws without a graphics card. Chromium with SwiftShader does not report it as a caveat. */
export function isWebGlSlow(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (context === null) return true;
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return SOFTWARE.test(renderer);
}

/**
 * The edges of a graph without WebGL, for where that is slow: it keeps the page waiting until all edges are drawn. Many
 * edges are drawn once the picture rests, some with each frame.
 */
export class EdgeLayer implements Disposable {
  readonly #sigma: Pick<Sigma<NodeLook>, 'graphToViewport' | 'getCamera' | 'getDimensions'>;
  readonly #plain: CanvasRenderingContext2D;
  readonly #outstanding: CanvasRenderingContext2D;
  readonly #drawn: () => DrawnEdges;
  #key = '';
  #positions: Float32Array | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  /** @param drawn what to draw now, asked for after each drawing of sigma. */
  constructor(sigma: Sigma<NodeLook>, drawn: () => DrawnEdges) {
    this.#sigma = sigma;
    this.#drawn = drawn;
    sigma.createCanvasContext('links', { beforeLayer: 'nodes' } as object);
    sigma.resize(true);
    const { links, edgeLabels } = sigma.getCanvases();
    this.#plain = contextOf(links);
    // Sigma clears it with each drawing.
    this.#outstanding = contextOf(edgeLabels);
    sigma.on('afterRender', () => this.#update());
    sigma.on('resize', () => {
      this.#key = '';
    });
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #update(): void {
    const all = this.#drawn();
    this.#drawOutstanding(all);
    const { x, y, ratio, angle } = this.#sigma.getCamera().getState();
    const key = [x, y, ratio, angle, all.color, all.isStill].join(' ');
    if (key === this.#key && all.positions === this.#positions) return;
    [this.#key, this.#positions] = [key, all.positions];
    this.#stop();
    const { width, height } = this.#sigma.getDimensions();
    this.#plain.clearRect(0, 0, width, height);
    if (all.edges.length / 2 <= SLICE) this.#draw(this.#plain, all, 0);
    else if (all.isStill) this.#timer = setTimeout(() => this.#drawFrom(all, 0), REST_MS);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
  }

  #drawFrom(all: DrawnEdges, start: number): void {
    this.#draw(this.#plain, all, start);
    const next = start + SLICE * 2;
    if (next < all.edges.length) this.#frame = requestAnimationFrame(() => this.#drawFrom(all, next));
  }

  #draw(context: CanvasRenderingContext2D, { positions, edges, color }: DrawnEdges, start: number): void {
    context.strokeStyle = color;
    context.lineWidth = 1 / devicePixelRatio;
    context.beginPath();
    for (let at = start; at < Math.min(edges.length, start + SLICE * 2); at += 2)
      this.#line(context, positions, edges, at);
    context.stroke();
  }

  #drawOutstanding({ positions, edges, centre, accent }: DrawnEdges): void {
    if (centre === null) return;
    const context = this.#outstanding;
    context.strokeStyle = accent;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let at = 0; at < edges.length; at += 2) {
      if (edges[at] === centre || edges[at + 1] === centre) this.#line(context, positions, edges, at);
    }
    context.stroke();
  }

  #line(context: CanvasRenderingContext2D, positions: Float32Array, edges: Uint32Array, at: number): void {
    const place = (node: number) =>
      this.#sigma.graphToViewport({ x: positions[node * 2] ?? 0, y: positions[node * 2 + 1] ?? 0 });
    const [from, to] = [place(edges[at] ?? 0), place(edges[at + 1] ?? 0)];
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  }
}

function contextOf(canvas: HTMLCanvasElement | undefined): CanvasRenderingContext2D {
  const context = canvas?.getContext('2d') ?? null;
  if (context === null) throw new Error('the browser has no 2D context');
  return context;
}
